import { type CodeHost, JsonObject, type OpenConnection, parseRepositoryName, RepositoryName } from "@earshot/core"
import { expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { describe } from "vitest"
import { codePoint } from "../CodePoint.js"

/** A code host of one kind with something in it, on the machine's own clock. */
export interface CodeHostFixture {
  readonly host: CodeHost
  /** A connection that offers a repository `web` and no other one that is named here. */
  readonly connection: OpenConnection
  /** Whether a token opens a repository at the host; left out where nobody but the engine can say. */
  readonly opens?: (token: string, repository: string) => boolean
  /** Removes the connection's access to `web`. */
  readonly withdraw: () => void
  /** Makes every later request to the host fail. */
  readonly breakDown: () => void
  /** Secrets that may occur only in the token field of a response. */
  readonly secrets: ReadonlyArray<string>
}

const readSettings = Schema.decodeUnknownOption(JsonObject)

const web = RepositoryName.make("web")

/** An error in every form in which it may be printed. */
const printed = (error: unknown): string =>
  [JSON.stringify(error), String(error), inspect(error, { depth: 20 }), error instanceof Error ? error.stack : ""].join(
    " "
  )

/** Registers the contract tests of a code host. */
export const codeHostContract = (name: string, fixture: Effect.Effect<CodeHostFixture, never, Scope.Scope>): void => {
  describe(`the code host ${name}`, () => {
    it.scopedLive("passes the connection test and reads its settings unchanged", () =>
      Effect.gen(function* () {
        const { connection, host } = yield* fixture
        yield* host.test(connection)
        const read = Either.getOrThrow(host.read(connection))
        expect(read.settings).toEqual(connection.settings)
        const again = Either.getOrThrow(host.read(read))
        expect(again.settings).toEqual(read.settings)
        // Secrets are no settings.
        expect(JSON.stringify(read.settings)).not.toContain("PRIVATE KEY")
      })
    )

    it.scopedLive("issues a new token each time, valid for at most an hour, with no credential in the URL", () =>
      Effect.gen(function* () {
        const { connection, host, opens } = yield* fixture
        const before = yield* DateTime.now
        const one = yield* host.issue(connection, web)
        const other = yield* host.issue(connection, web)
        const token = Redacted.value(one.token)
        expect(token).not.toBe("")
        expect(token).not.toBe(Redacted.value(other.token))
        expect(one.repo).toBe("web")
        expect(one.fullName.endsWith("/web")).toBe(true)
        expect(one.username).not.toBe("")
        const url = new URL(one.cloneUrl)
        expect([url.username, url.password]).toEqual(["", ""])
        expect(one.cloneUrl).not.toContain(token)
        const life = one.expiresAt.epochMillis - before.epochMillis
        expect(life).toBeGreaterThan(0)
        expect(life).toBeLessThanOrEqual(3_600_000 + 60_000)
        expect(one.lapsesAt.epochMillis).toBeGreaterThanOrEqual(one.expiresAt.epochMillis)
        // Printing a checkout shows no token, nor what ends it.
        expect(printed(one)).not.toContain(token)
        if (opens !== undefined) expect([opens(token, "web"), opens(token, "other")]).toEqual([true, false])
      })
    )

    it.scopedLive("revokes a token early, and revoking it again succeeds", () =>
      Effect.gen(function* () {
        const { connection, host, opens } = yield* fixture
        const { handle, token } = yield* host.issue(connection, web)
        if (handle === null) return
        yield* host.release(connection, handle)
        if (opens !== undefined) expect(opens(Redacted.value(token), "web")).toBe(false)
        yield* host.release(connection, handle)
      })
    )

    it.scopedLive("denies a repository as soon as the connection no longer offers it", () =>
      Effect.gen(function* () {
        const { connection, host, withdraw } = yield* fixture
        const unavailable = { _tag: "RepositoryUnavailable" }
        for (const name of ["other", "web2", "we", "HEAD", "info"]) {
          expect(yield* Effect.flip(host.issue(connection, RepositoryName.make(name))), name).toMatchObject(unavailable)
        }
        yield* host.issue(connection, web)
        withdraw()
        expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject(unavailable)
      })
    )

    it.scopedLive("reports a failing host as unavailable without exposing a secret", () =>
      Effect.gen(function* () {
        const { breakDown, connection, host, secrets } = yield* fixture
        const { handle, token } = yield* host.issue(connection, web)
        breakDown()
        const failures: Array<unknown> = [
          yield* Effect.flip(host.test(connection)),
          yield* Effect.flip(host.issue(connection, web))
        ]
        if (handle !== null) failures.push(yield* Effect.flip(host.release(connection, handle)))
        for (const failure of failures) {
          expect(["CodeHostFailed", "RepositoryUnavailable"]).toContain(Reflect.get(Object(failure), "_tag"))
          const text = printed(failure)
          for (const secret of [...secrets, Redacted.value(token)]) expect(text).not.toContain(secret)
        }
      })
    )

    it.scopedLive("validates any settings and secret, and reports every error by its field", () =>
      Effect.gen(function* () {
        const { connection, host } = yield* fixture
        const secret = fc.option(fc.string({ unit: codePoint }).map((text) => Redacted.make(text)))
        const names = fc.oneof(fc.string(), fc.constantFrom(...Object.keys(connection.settings), "x"))
        const settings = fc
          .dictionary(names, fc.jsonValue())
          .map((given) => Option.getOrElse(readSettings(given), (): JsonObject => ({})))
        fc.assert(
          fc.property(settings, secret, (given, key) => {
            const read = host.read({ settings: given, secret: key })
            if (Either.isRight(read)) return
            expect(Object.keys(read.left).length).toBeGreaterThan(0)
            for (const path of Object.keys(read.left)) expect(path).toMatch(/^(settings(\..+|\[.*)?|secret)$/s)
          }),
          { numRuns: 100 }
        )
      })
    )
  })
}

/** Names that are nobody's repository, whatever a code host would make of them. */
export const hostileNames: ReadonlyArray<string> = [
  "..",
  ".",
  "../web",
  "web/..",
  "..%2fweb",
  "a%2fb",
  "web%00",
  "web.git",
  "web.git.git",
  "-web",
  "--upload-pack=touch",
  "web/other",
  "web\\other",
  "web other",
  "web\nother",
  "web?x=1",
  "web#x",
  "wéb",
  "~web",
  "web:main",
  "x".repeat(256)
]

/** Any text that reads as a short name is one segment of a path, and safe as an argument. */
export const isHarmless = (text: string): boolean =>
  parseRepositoryName(text)._tag === "None" ||
  (!text.includes("/") && !text.includes("..") && !text.startsWith("-") && encodeURIComponent(text) === text)
