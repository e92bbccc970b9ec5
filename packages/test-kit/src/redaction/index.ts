export * from "./LabelledCalls.js"
export * from "./Scores.js"
export { randomOf } from "./Random.js"
export type { Part, Style } from "./Values.js"
