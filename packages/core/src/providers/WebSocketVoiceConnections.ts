/** Connections to agents by voice, over WebSocket. Addresses and messages come from outside. */
import { isIP } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { WebSocket } from "ws"
import type { VoiceAddress } from "../simulation/voice/VoiceAddressRules.js"
import {
  type ConnectionEvent,
  type ConnectionProblem,
  VoiceFailed,
  type VoiceConnection,
  VoiceConnections
} from "../simulation/voice/VoiceConnection.js"
import { MAX_MESSAGE } from "../simulation/voice/VoiceProtocol.js"
import { OutboundError, type OutboundReason } from "./OutboundError.js"
import { hostOf, OutboundHttp } from "./OutboundHttp.js"
import { AddressNotPublic, isPublic, publicLookup } from "./PublicAddresses.js"

export interface WebSocketVoiceConnectionsConfig {
  /** Milliseconds until a connection has to be open. Default: 10 seconds. */
  readonly connectMillis?: number
}

/** Most bytes of messages that wait to be taken. */
const MAX_WAITING = 16 * MAX_MESSAGE

const failed = (problem: ConnectionProblem, predicate: string): VoiceFailed =>
  new VoiceFailed({ problem, reason: `The agent's server ${predicate}.` })

const outbound = (problem: ConnectionProblem, reason: OutboundReason): VoiceFailed =>
  failed(problem, new OutboundError({ reason }).message)

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

/** Codes of `getaddrinfo` and of c-ares for a name without an address. */
const UNRESOLVED: ReadonlyArray<string> = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME", "ENODATA"]

/** Node's codes of certificates: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has an expired certificate",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a self-signed certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate of another host name",
  SELF_SIGNED_CERT_IN_CHAIN: "has a self-signed certificate in its chain",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "has a certificate of an unknown issuer",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "sends a certificate without those of its issuers"
}

/** Other failures of TLS: those of OpenSSL, of a certificate, and of an issuer. */
const TLS = /^(?:EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|INVALID_CA$|HOSTNAME_MISMATCH$)/

/** Why no connection was opened, by Node's code of the error; errors of the WebSocket handshake have none. */
export const connectionFailure = (code: string | undefined): VoiceFailed => {
  if (code === undefined) return failed("handshake", "answered with an invalid WebSocket handshake")
  if (UNRESOLVED.includes(code)) return failed("dns", `cannot be found: its host name does not resolve (${code})`)
  if (code === "ECONNREFUSED") return failed("refused", `refused the connection (${code})`)
  if (code.startsWith("HPE_")) return failed("handshake", `answered with invalid HTTP (${code})`)
  const certificate = new Map(Object.entries(CERTIFICATES)).get(code)
  if (certificate !== undefined) return failed("tls", `${certificate} (${code})`)
  if (TLS.test(code)) return failed("tls", `cannot be reached over TLS (${code})`)
  return outbound("unreachable", { is: "Unreachable", code })
}

const FORBIDDING: ReadonlyArray<number> = [401, 403]

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

      const open = (Client: typeof WebSocket, address: VoiceAddress, isAllowed: boolean) =>
        Effect.acquireRelease(
          Effect.try({
            try: () =>
              new Client(address.url, {
                headers: { "user-agent": "earshot", ...address.headers },
                followRedirects: false,
                handshakeTimeout: connectMillis,
                maxPayload: MAX_MESSAGE,
                perMessageDeflate: false,
                ...(isAllowed ? {} : { lookup: publicLookup })
              }),
            catch: () => outbound("address", { is: "InvalidRequest" })
          }),
          (socket) =>
            Effect.sync(() => {
              // Without a listener, the error of a connection that is given up would end the process.
              socket.removeAllListeners()
              socket.on("error", () => undefined)
              if (socket.readyState === Client.OPEN) socket.close(1000)
              else socket.terminate()
            })
        )

      const connect = (address: VoiceAddress): Effect.Effect<VoiceConnection, VoiceFailed, Scope.Scope> =>
        Effect.gen(function* () {
          if (!URL.canParse(address.url)) return yield* outbound("address", { is: "InvalidUrl" })
          const url = new URL(address.url)
          if (url.protocol !== "ws:" && url.protocol !== "wss:") {
            return yield* failed("address", "can be reached over ws and wss only")
          }
          const isAllowed = http.allows(url)
          const host = hostOf(url)
          // An address in the URL itself is not looked up.
          if (!isAllowed && isIP(host) !== 0 && !isPublic(host))
            return yield* outbound("address", { is: "AddressNotPublic" })
          const clock = yield* Effect.clock
          // Loaded for the first call: most processes call no agents.
          const { WebSocket: Client } = yield* Effect.promise(() => import("ws"))
          const socket = yield* open(Client, address, isAllowed)

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
            // A `nodebuffer`, the type of messages that is not changed here.
            const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0)
            waiting += bytes.length
            if (waiting > MAX_WAITING) {
              closed("sent messages faster than they can be read")
              socket.terminate()
            } else
              events.push({
                is: "message",
                at: clock.unsafeCurrentTimeMillis(),
                data: isBinary ? bytes : bytes.toString()
              })
          })
          yield* Effect.async<undefined, VoiceFailed>((resume) => {
            socket.once("open", () => {
              resume(Effect.succeed(undefined))
            })
            socket.once("unexpected-response", (request, response) => {
              const status = response.statusCode ?? 0
              const problem = FORBIDDING.includes(status) ? "unauthorized" : "status"
              resume(failed(problem, `answered HTTP ${status} instead of opening a WebSocket`))
              request.destroy()
            })
            socket.on("error", (error) => {
              const isTooLong = codeOf(error) === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
              closed(isTooLong ? `sent a message of more than ${MAX_MESSAGE} bytes` : "broke the connection")
              resume(
                error instanceof AddressNotPublic
                  ? outbound("address", { is: "AddressNotPublic" })
                  : error.message === "Opening handshake has timed out"
                    ? outbound("timeout", { is: "TimedOut", seconds: connectMillis / 1000 })
                    : connectionFailure(codeOf(error))
              )
            })
            socket.once("close", (code) => {
              closed(closing(code), CLEAN.includes(code))
              resume(outbound("handshake", { is: "NoResponse" }))
            })
          })
          return {
            send: (message) =>
              Effect.sync(() => {
                if (socket.readyState === Client.OPEN) socket.send(message)
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
