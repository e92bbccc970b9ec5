export type { Input, InputFlaw, InputSubject, InvalidInput } from "./Flaws.js"
export { inputLaws, invalidInput, type SubjectName, subjects } from "./Inputs.js"
