export type { Input, InputFlaw, InputSubject, InvalidInput } from "./Flaws.js"
export { inputProperties, invalidInput, type SubjectName, subjects } from "./Inputs.js"
