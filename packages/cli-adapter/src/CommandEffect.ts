import type {
  ColumnStoreUnavailable,
  Database,
  Forbidden,
  ModelUnavailable,
  NotFound,
  RateLimited,
  RedactionUnavailable,
  SecretBox,
  StorageError,
  Unauthenticated,
  ValidationFailed
} from "@earshot/core"
import type { ListenFailed, ProcessEnded } from "@earshot/http-adapter"
import type * as Effect from "effect/Effect"
import type { ApiFailure } from "./Api.js"
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
  | ApiFailure
  | ColumnStoreUnavailable
  | Database.DatabaseError
  | ListenFailed
  | ProcessEnded
  | ValidationFailed
  | NotFound
  | Unauthenticated
  | Forbidden
  | RateLimited
  | ModelUnavailable
  | RedactionUnavailable
  | SecretBox.SecretKeyMissing
  | StorageError

/** A command that runs. */
export type CommandEffect = Effect.Effect<void, CommandError, Wiring | Screen | Signals>
