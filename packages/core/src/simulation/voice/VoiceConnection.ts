import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { VoiceAddress } from "./VoiceAddressRules.js"
import type { WireMessage } from "./VoiceProtocol.js"

/** What kept a connection from being opened. */
export const ConnectionProblem = Schema.Literal(
  /** The URL, its scheme or a header is invalid, or the address is not public. */
  "address",
  /** The host name does not resolve. */
  "dns",
  "refused",
  /** No connection for another reason, such as a host without a route. */
  "unreachable",
  /** The certificate is invalid, or the server does not speak TLS. */
  "tls",
  "timeout",
  /** HTTP 401 or 403. */
  "unauthorized",
  /** Any other status of HTTP instead of a WebSocket. */
  "status",
  /** An answer that does not complete the handshake. */
  "handshake"
)
export type ConnectionProblem = typeof ConnectionProblem.Type

/** The agent cannot be called. The reason can be stored: it repeats nothing of the request. */
export class VoiceFailed extends Schema.TaggedError<VoiceFailed>("@earshot/core/simulation/VoiceFailed")(
  "VoiceFailed",
  { problem: ConnectionProblem, reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/** What happened on a connection, and when, in milliseconds of the clock. */
export type ConnectionEvent =
  | { readonly is: "message"; readonly at: number; readonly data: WireMessage }
  /** The last event. The reason is a predicate: `closed the connection`. Clean is a close that the agent's server announced. */
  | { readonly is: "closed"; readonly at: number; readonly reason: string; readonly isClean: boolean }

/** An open connection to an agent. */
export interface VoiceConnection {
  /** Without effect once the connection is closed. */
  readonly send: (message: WireMessage) => Effect.Effect<void>
  /** The events since the last call, in order; never waits. */
  readonly take: Effect.Effect<ReadonlyArray<ConnectionEvent>>
}

/** Connects to agents by voice. The connection is closed with its scope. */
export class VoiceConnections extends Context.Tag("@earshot/core/simulation/VoiceConnections")<
  VoiceConnections,
  {
    readonly connect: (address: VoiceAddress) => Effect.Effect<VoiceConnection, VoiceFailed, Scope.Scope>
  }
>() {}
