import type {
  CodeHostFailed,
  ConnectionRevoked,
  Database,
  Forbidden,
  JobNotDead,
  ModelUnavailable,
  NoActiveConnection,
  NotFound,
  RateLimited,
  RedactionUnavailable,
  RunIsOver,
  StorageFault,
  Unauthenticated,
  ValidationFailed
} from "@earshot/core"
import type { ListenFailed } from "@earshot/http-adapter"
import type * as Effect from "effect/Effect"
import type { Misused, OutputClosed, PartlyRefused, Refused } from "./Faults.js"
import type { Screen } from "./Screen.js"
import type { Signals } from "./Signals.js"
import type { Wiring } from "./Wiring.js"

/** How a command may fail; `Faults.reportOf` says what each means for its exit code. */
export type CommandFault =
  | Misused
  | Refused
  | PartlyRefused
  | OutputClosed
  | Database.DatabaseUnusable
  | ListenFailed
  | ValidationFailed
  | CodeHostFailed
  | ConnectionRevoked
  | NoActiveConnection
  | NotFound
  | Unauthenticated
  | Forbidden
  | RateLimited
  | JobNotDead
  | ModelUnavailable
  | RedactionUnavailable
  | RunIsOver
  | StorageFault

/** A command that runs. */
export type Running = Effect.Effect<void, CommandFault, Wiring | Screen | Signals>
