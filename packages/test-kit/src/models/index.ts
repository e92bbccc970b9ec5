export * as CallModel from "./CallModel.js"
export { type CallFixture, checkCallModel, checkConcurrentCalls } from "./CallCommands.js"
export type { ModelOptions } from "./CommandSequences.js"
export {
  chargeProperties,
  type EvaluatedFixture,
  evaluationChargeProperties,
  chargeTestModel
} from "./ChargeProperties.js"
export { chartDataProperties, type ChartFixture } from "./ChartProperties.js"
export { type DriverResponse, type Driver, createEmptyProject, engineDriver, httpDriver } from "./Drivers.js"
export { type History, linearization, type Transition } from "./Linearizable.js"
export { type CapacityOwner, capacityFixture } from "./CapacityDriver.js"
export { evaluatorFixture } from "./EvaluatorDriver.js"
export {
  type Action,
  type Admission,
  checkCredentialModel,
  type CredentialDriver,
  httpCredentialDriver,
  type Issued,
  type Made,
  type ModelKind,
  type Shown,
  type Wanted
} from "./CredentialModel.js"
export { engineCredentialDriver } from "./EngineCredentialDriver.js"
export { tenantProperties, type TwoTenants } from "./TenantProperties.js"
export { assertCovered, type Coverage } from "./Coverage.js"
