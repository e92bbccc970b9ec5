export * as CallModel from "./CallModel.js"
export type { CallFixture } from "./CallRequests.js"
export { checkCallModel } from "./CallCommands.js"
export { checkConcurrentCalls } from "./ConcurrentCalls.js"
export { checkPlatformEvents } from "./PlatformEvents.js"
export type { ModelOptions } from "./CommandSequences.js"
export {
  chargeProperties,
  type EvaluatedFixture,
  evaluationChargeProperties,
  chargeTestModel
} from "./ChargeProperties.js"
export { chartDataProperties, type ChartFixture } from "./ChartProperties.js"
export { type DriverResponse, type Driver, createEmptyProject, httpDriver, tokenDriver } from "./Drivers.js"
export { engineDriver } from "./EngineDriver.js"
export { type History, linearization, type Transition } from "./Linearizable.js"
export { type CapacityOwner, capacityFixture } from "./CapacityDriver.js"
export { evaluatorFixture } from "./EvaluatorDriver.js"
export type { Action, Admission, CredentialDriver, Issued, Made, ModelKind, Shown, Wanted } from "./CredentialRules.js"
export { checkCredentialModel } from "./CredentialModel.js"
export { httpCredentialDriver } from "./HttpCredentialDriver.js"
export { engineCredentialDriver } from "./EngineCredentialDriver.js"
export { type ScopedFixture, scopeProperties } from "./ScopeProperties.js"
export { tenantProperties, type TwoTenants } from "./TenantProperties.js"
export { assertCovered, type Coverage } from "./Coverage.js"
export { listProperties } from "./ListProperties.js"
export { type WorkFixture, workProperties } from "./WorkProperties.js"
export { type LeaseFixture, leaseProperties } from "./LeaseProperties.js"
