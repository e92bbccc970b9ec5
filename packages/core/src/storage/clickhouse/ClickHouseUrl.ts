import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** A server, and the database there that the tables are in. */
export interface ClickHouseAddress {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
}

const DEFAULT_PORTS = { http: 8123, https: 8443 } as const

const parse = Option.liftThrowable((text: string) => new URL(text))
const decoded = Option.liftThrowable(decodeURIComponent)

const FORM = "clickhouse://USER:PASSWORD@HOST:PORT/DATABASE, or clickhouses:// for TLS"

/**
 * Parses the address of a server's HTTP interface, `clickhouse://user:password@host:port/database`, or `clickhouses://` over
 * TLS. Defaults: the user `default` without a password, port 8123 (TLS: 8443), the database `default`. Returns a sentence
 * that does not contain the address if it is invalid, since it may contain a password.
 */
export const parseClickHouseUrl = (text: string): Either.Either<ClickHouseAddress, string> =>
  Either.gen(function* () {
    const url = yield* Either.fromOption(parse(text), () => `Not a valid address of a ClickHouse server. Use ${FORM}.`)
    if (url.protocol !== "clickhouse:" && url.protocol !== "clickhouses:") return yield* Either.left(`Use ${FORM}.`)
    if (url.hostname === "") return yield* Either.left(`The address of the ClickHouse server has no host. Use ${FORM}.`)
    if (url.search !== "" || url.hash !== "") {
      return yield* Either.left(`The address of the ClickHouse server has parameters. Use ${FORM}.`)
    }
    const part = (value: string, name: string) =>
      Either.fromOption(decoded(value), () => `The ${name} of the ClickHouse server is not percent-encoded.`)
    const scheme = url.protocol === "clickhouses:" ? "https" : "http"
    const database = yield* part(url.pathname.slice(1), "database")
    if (!/^(?:[A-Za-z_][A-Za-z0-9_]*)?$/.test(database)) {
      return yield* Either.left("The name of a ClickHouse database is made of letters, digits and underscores.")
    }
    return {
      url: `${scheme}://${url.hostname}:${url.port === "" ? DEFAULT_PORTS[scheme] : url.port}`,
      username: (yield* part(url.username, "user")) || "default",
      password: yield* part(url.password, "password"),
      database: database || "default"
    }
  })
