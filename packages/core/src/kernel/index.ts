export * as Credits from "./Credits.js"
export * as Expand from "./Expand.js"
export * as FairSemaphore from "./FairSemaphore.js"
export * as FieldErrors from "./FieldErrors.js"
export { ValidationFailed } from "./FieldErrors.js"
export * as Fields from "./Fields.js"
export * from "./Ids.js"
export * as JUnit from "./JUnit.js"
export { type Input, type Untrusted, untrusted } from "./Input.js"
export * from "./Json.js"
export * as Pages from "./Pages.js"
export * as ResponseBytes from "./ResponseBytes.js"
export { CacheTtl } from "./TtlCache.js"
export {
  QueryTimedOut,
  StorageBusy,
  StorageFailed,
  type StorageError,
  type StorageDefect,
  StorageUnusable,
  UnitOfWork
} from "./Storage.js"
export * as Text from "./Text.js"
export { Readiness, type ReadinessCheck } from "./Readiness.js"
export * as TurnScheduler from "./TurnScheduler.js"
