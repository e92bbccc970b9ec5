export * from "./CallFeatures.js"
export * from "./CallModel.js"
export * from "./CallTagger.js"
export { turnsOf } from "../dialogue/Dialogue.js"
