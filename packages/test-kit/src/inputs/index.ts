export {
  type Input,
  type InputFlaw,
  inputLaws,
  type InputSubject,
  invalidInput,
  type InvalidInput,
  type SubjectName,
  subjects
} from "./Inputs.js"
