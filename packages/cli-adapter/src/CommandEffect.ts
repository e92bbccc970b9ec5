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
  ResultWithheld,
  RunIsOver,
  SecretBox,
  StorageError,
  Unauthenticated,
  ValidationFailed
} from "@earshot/core"
import type { ListenFailed, ProcessEnded } from "@earshot/http-adapter"
import type * as Effect from "effect/Effect"
import type { UsageError, OutputClosed, ReportedFailure, CommandRejected } from "./Errors.js"
import type { Screen } from "./Screen.js"
import type { Signals } from "./Signals.js"
import type { Wiring } from "./Wiring.js"

/** How a command may fail; `Faults.reportOf` says what each means for its exit code. */
export type CommandError =
  | UsageError
  | CommandRejected
  | ReportedFailure
  | OutputClosed
  | Database.DatabaseError
  | ListenFailed
  | ProcessEnded
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
  | ResultWithheld
  | RunIsOver
  | SecretBox.SecretKeyMissing
  | StorageError

/** A command that runs. */
export type CommandEffect = Effect.Effect<void, CommandError, Wiring | Screen | Signals>
