/** Runs an endpoint for a request: credentials, query and body, use case; and keeps count of what is in flight. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Actor, type Engine } from "@earshot/core"
import type * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { ServedEndpoint, SuccessResponse } from "./Endpoint.js"
import { type HttpError } from "./ErrorResponses.js"
import type { HttpLimits } from "./Limits.js"
/** State of a request that is being handled. */
export interface RequestState {
  actor: Actor | undefined
  /** Bytes of its body that are held in memory. */
  reservedBytes: number
}
type RequestExit = Exit.Exit<SuccessResponse, HttpError>
export interface RequestRunner {
  /** Runs an endpoint for each request handed to the returned function, and reports its exit. */
  readonly run: (
    endpoint: ServedEndpoint
  ) => (request: FastifyRequest, reply: FastifyReply, onExit: (exit: RequestExit) => void) => void
  /** Registers a request whose client waits for `100 Continue` before it sends its body. */
  readonly awaitContinue: (message: IncomingMessage, response: ServerResponse) => void
  readonly requestsInFlight: () => number
  readonly bodyBytesInFlight: () => number
  /** Interrupts all running requests and waits until they have ended. */
  readonly interrupt: () => Promise<void>
}
export declare const makeRequestRunner: (runtime: Runtime.Runtime<Engine.Services>, limits: HttpLimits) => RequestRunner
export {}
//# sourceMappingURL=requestRunner.d.ts.map
