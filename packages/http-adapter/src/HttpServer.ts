import type { Engine } from "@earshot/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { HttpLimits } from "./Limits.js"

/** How a server listens and what it takes. */
export interface HttpServerOptions {
  /** The address to listen on; 127.0.0.1 unless told. */
  readonly host?: string
  /** The port to listen on, 0 for any that is free; 8080 unless told. */
  readonly port?: number
  readonly limits?: Partial<HttpLimits>
  /** What is logged, as JSON lines on stderr; `info` unless told. */
  readonly logLevel?: LogLevel
}

export type LogLevel = "silent" | "error" | "warn" | "info" | "debug"

/** The address cannot be listened on: it is in use, or not this machine's, or a port for the privileged. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>("@earshot/http-adapter/ListenFailed")(
  "ListenFailed",
  { host: Schema.String, port: Schema.Number, code: Schema.String }
) {
  override get message(): string {
    return `Cannot listen on ${this.host}:${this.port} (${this.code})`
  }
}

/** A server that listens, and where. */
export class HttpServer extends Context.Tag("@earshot/http-adapter/HttpServer")<
  HttpServer,
  {
    readonly host: string
    /** The port it really has, where 0 was asked for. */
    readonly port: number
    /** `http://host:port`, without a slash at the end. */
    readonly url: string
  }
>() {}

/**
 * A server over a running engine. It listens once the layer is built. When its scope closes it stops accepting, lets the
 * requests in flight finish within `limits.graceMillis`, and is gone before the engine closes.
 */
export const layer = (_options: HttpServerOptions = {}): Layer.Layer<HttpServer, ListenFailed, Engine.Services> =>
  Layer.scoped(HttpServer, Effect.dieMessage("The server is being built."))
