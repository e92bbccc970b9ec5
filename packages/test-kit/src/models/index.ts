export * as CallModel from "./CallModel.js"
export { type CallWorld, checkCallModel, checkCallsAtOnce, type ModelOptions } from "./CallWalks.js"
export { type Answered, type Door, engineDoor, httpDoor } from "./Doors.js"
export { type History, linearised, type Stepped } from "./Linearisable.js"
