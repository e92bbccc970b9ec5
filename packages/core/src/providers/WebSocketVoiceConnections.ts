/** Connections to agents by voice, over WebSocket. Addresses and messages come from outside. */
import { isIP } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { WebSocket } from "ws"
import { MAX_MESSAGE } from "../simulation/voice/MediaStream.js"
import type { VoiceAddress } from "../simulation/voice/VoiceAddressRules.js"
import {
  type ConnectionEvent,
  VoiceFailed,
  type VoiceConnection,
  VoiceConnections
} from "../simulation/voice/VoiceConnection.js"
import { OutboundError, type OutboundReason } from "./OutboundError.js"
import { hostOf, OutboundHttp } from "./OutboundHttp.js"
import { AddressNotPublic, isPublic, publicLookup } from "./PublicAddresses.js"

export interface WebSocketVoiceConnectionsConfig {
  /** Milliseconds until a connection has to be open. Default: 10 seconds. */
  readonly connectMillis?: number
}

/** Most characters of messages that wait to be taken. */
const MAX_WAITING = 16 * MAX_MESSAGE

const failed = (predicate: string): VoiceFailed => new VoiceFailed({ reason: `The agent's server ${predicate}.` })

const outbound = (reason: OutboundReason): VoiceFailed => failed(new OutboundError({ reason }).message)

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

/** RFC 6455, section 7.4.1: a normal closure, an endpoint that goes away, and a close without a code. */
const CLEAN: ReadonlyArray<number> = [1000, 1001, 1005]

const closing = (code: number): string =>
  // RFC 6455, section 7.4.1: 1006 means that there was no closing handshake.
  code === 1006 ? "closed the connection without a closing handshake" : `closed the connection (${code})`

/**
 * Calls agents over `ws:` and `wss:` by the rules of `OutboundHttp`: an address has to be public unless the operator allows
 * its host by name, and redirects are not followed.
 */
export const layer = (
  config: WebSocketVoiceConnectionsConfig = {}
): Layer.Layer<VoiceConnections, never, OutboundHttp> =>
  Layer.effect(
    VoiceConnections,
    Effect.map(OutboundHttp, (http) => {
      const { connectMillis = 10_000 } = config

      const open = (address: VoiceAddress, isAllowed: boolean) =>
        Effect.acquireRelease(
          Effect.try({
            try: () =>
              new WebSocket(address.url, {
                headers: { "user-agent": "earshot", ...address.headers },
                followRedirects: false,
                handshakeTimeout: connectMillis,
                maxPayload: MAX_MESSAGE,
                perMessageDeflate: false,
                ...(isAllowed ? {} : { lookup: publicLookup })
              }),
            catch: () => outbound({ is: "InvalidRequest" })
          }),
          (socket) =>
            Effect.sync(() => {
              // Without a listener, the error of a connection that is given up would end the process.
              socket.removeAllListeners()
              socket.on("error", () => undefined)
              if (socket.readyState === WebSocket.OPEN) socket.close(1000)
              else socket.terminate()
            })
        )

      const connect = (address: VoiceAddress): Effect.Effect<VoiceConnection, VoiceFailed, Scope.Scope> =>
        Effect.gen(function* () {
          if (!URL.canParse(address.url)) return yield* outbound({ is: "InvalidUrl" })
          const url = new URL(address.url)
          if (url.protocol !== "ws:" && url.protocol !== "wss:") {
            return yield* failed("can be reached over ws and wss only")
          }
          const isAllowed = http.allows(url)
          const host = hostOf(url)
          // An address in the URL itself is not looked up.
          if (!isAllowed && isIP(host) !== 0 && !isPublic(host)) return yield* outbound({ is: "AddressNotPublic" })
          const clock = yield* Effect.clock
          const socket = yield* open(address, isAllowed)

          let events: Array<ConnectionEvent> = []
          let waiting = 0
          let isClosed = false
          const closed = (reason: string, isClean = false): void => {
            if (isClosed) return
            isClosed = true
            events.push({ is: "closed", at: clock.unsafeCurrentTimeMillis(), reason, isClean })
          }
          socket.on("message", (data, isBinary) => {
            if (isClosed) return
            // The protocol has no binary messages; an empty text is one that cannot be read.
            const text = !isBinary && Buffer.isBuffer(data) ? data.toString() : ""
            waiting += text.length
            if (waiting > MAX_WAITING) {
              closed("sent messages faster than they can be read")
              socket.terminate()
            } else events.push({ is: "message", at: clock.unsafeCurrentTimeMillis(), text })
          })
          yield* Effect.async<undefined, VoiceFailed>((resume) => {
            socket.once("open", () => {
              resume(Effect.succeed(undefined))
            })
            socket.once("unexpected-response", (request, response) => {
              resume(failed(`answered HTTP ${response.statusCode ?? 0} instead of opening a WebSocket`))
              request.destroy()
            })
            socket.on("error", (error) => {
              const isTooLong = codeOf(error) === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
              closed(isTooLong ? `sent a message of more than ${MAX_MESSAGE} bytes` : "broke the connection")
              resume(
                error instanceof AddressNotPublic
                  ? outbound({ is: "AddressNotPublic" })
                  : error.message === "Opening handshake has timed out"
                    ? outbound({ is: "TimedOut", seconds: connectMillis / 1000 })
                    : outbound({ is: "Unreachable", code: codeOf(error) })
              )
            })
            socket.once("close", (code) => {
              closed(closing(code), CLEAN.includes(code))
              resume(outbound({ is: "NoResponse" }))
            })
          })
          return {
            send: (message) =>
              Effect.sync(() => {
                if (socket.readyState === WebSocket.OPEN) socket.send(message)
              }),
            take: Effect.sync(() => {
              const taken = events
              events = []
              waiting = 0
              return taken
            })
          }
        })

      return VoiceConnections.of({ connect })
    })
  )
