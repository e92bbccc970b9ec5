export * as CallModel from "./CallModel.js"
export { type CallWorld, checkCallModel, checkCallsAtOnce, type ModelOptions } from "./CallWalks.js"
export { chargeLaws, type EvaluatedWorld, evaluationChargeLaws, judgeOfCharges } from "./ChargeLaws.js"
export { chartDataLaws, type ChartWorld } from "./ChartLaws.js"
export { type Answered, type Door, emptyProject, engineDoor, httpDoor } from "./Doors.js"
export { type History, linearised, type Stepped } from "./Linearisable.js"
export { type CapacityOwner, capacityWorld } from "./CapacityDoors.js"
export { evaluatorWorld } from "./EvaluatorDoors.js"
export {
  type Action,
  type Admission,
  checkCredentialModel,
  type CredentialDoor,
  httpCredentialDoor,
  type Issued,
  type Made,
  type ModelKind,
  type Shown,
  type Wanted
} from "./CredentialModel.js"
export { engineCredentialDoor } from "./EngineCredentials.js"
export { tenantLaws, type TwoTenants } from "./TenantLaws.js"
export { assertHappened, type Happened } from "./Walk.js"
