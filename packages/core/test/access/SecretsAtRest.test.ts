import { randomBytes } from "node:crypto"
import {
  Agents,
  ApiKeys,
  BrowserSessions,
  Calls,
  Checkouts,
  CodeConnections,
  hostActor,
  SecretBox,
  Secrets,
  ShareableLinks,
  SigningKeys,
  Tokens
} from "@earshot/core"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as SecretKeyFile from "@earshot/core/providers/SecretKeyFile"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const makeKey = () => randomBytes(32).toString("base64")

const boxOf = (...keys: ReadonlyArray<string>) =>
  AesSecretBox.layer(Either.getOrThrow(AesSecretBox.parse(Redacted.make(keys.join(",")))))

/** The forms in which a secret could stand in a column or a log line. */
const formsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("base64url"),
  Buffer.from(secret).toString("hex")
]

/** Uses every feature that stores a secret or something made of one, and returns all that has to stay secret. */
const populate = Effect.gen(function* () {
  const gitlab = yield* CheckoutKit.fakeGitLab
  const { actor, agent, apiKey, organization, project } = yield* TestEngine.fixture
  const as = TestEngine.as(hostActor(organization.id))
  const header = `Bearer marker-${randomBytes(12).toString("hex")}`
  const voiceHeader = `Bearer marker-${randomBytes(12).toString("hex")}`
  const authToken = randomBytes(16).toString("hex")
  yield* as(
    Effect.flatMap(Agents, (agents) =>
      agents.update(agent.id, {
        chat_endpoint: { url: "https://bot.example/chat", kind: "webhook", headers: { Authorization: header } },
        voice_endpoint: {
          url: "wss://bot.example/media",
          headers: { Authorization: voiceHeader },
          auth_token: authToken
        }
      })
    )
  )
  const key = yield* as(Effect.flatMap(ApiKeys, (keys) => keys.create({ name: "Marker" })))
  const link = yield* as(
    Effect.flatMap(ShareableLinks, (links) =>
      links.create({
        name: "Marker",
        permissions: ["calls:read"],
        bounds: [{ type: "project", id: project.id }]
      })
    )
  )
  const sessions = yield* BrowserSessions
  const signInLink = yield* as(sessions.createLink({}))
  const session = yield* sessions.signIn({ api_key: Redacted.value(apiKey.secret) })
  const token = yield* as(Effect.flatMap(Tokens, (tokens) => tokens.issue({ kind: "dashboard_session" })))
  const signing = yield* Effect.flatMap(SigningKeys, (keys) => keys.current)
  const connections = yield* CodeConnections
  const connection = yield* as(
    connections.create({
      host: "gitlab",
      settings: { base_url: gitlab.url, namespace: gitlab.namespace },
      secret: gitlab.accessToken
    })
  )
  yield* as(connections.activate(connection.id))
  const checkout = yield* as(Effect.flatMap(Checkouts, (checkouts) => checkouts.create({ repo: "web" })))
  yield* Effect.flatMap(Calls, (calls) =>
    calls.ingest({ agent: agent.id, call_id: "1", transcript_type: "service", transcript_json: [] })
  ).pipe(TestEngine.as(actor))
  const signingBytes = Buffer.from(Redacted.value(signing.secret), "base64url")
  return {
    tokensIssued: [Redacted.value(token.token)],
    secrets: [
      header,
      voiceHeader,
      authToken,
      gitlab.accessToken,
      Redacted.value(apiKey.secret),
      Redacted.value(key.secret),
      Redacted.value(link.secret),
      Redacted.value(signInLink.secret),
      Redacted.value(session.secret),
      Redacted.value(checkout.token),
      Redacted.value(signing.secret)
    ],
    bytes: [signingBytes.toString("hex"), signingBytes.toString("base64"), signingBytes.toString("base64url")]
  }
})

for (const database of TestEngine.databases) {
  describe(`secrets at rest on ${database}`, () => {
    it.scopedLive("stand in no column of any table and in no log line, in clear or encoded", () =>
      Effect.gen(function* () {
        const masterKey = makeKey()
        const logged: Array<string> = []
        const logger = Logger.replace(
          Logger.defaultLogger,
          Logger.make((entry) => void logged.push(Logger.stringLogger.log(entry)))
        )
        const found = yield* Effect.gen(function* () {
          const seeded = yield* populate
          return { ...seeded, dump: yield* TestEngine.dump }
        }).pipe(
          Effect.provide(TestEngine.layer(database, { secretBox: boxOf(masterKey), allowHosts: ["127.0.0.1"] })),
          Effect.provide(Layer.merge(logger, Logger.minimumLogLevel(LogLevel.All)))
        )
        // The dump is of the tables that were filled: it has what stands in clear on purpose.
        expect(found.dump).toContain("https://bot.example/chat")
        expect(found.dump.match(/aes256gcm\./g)?.length).toBeGreaterThanOrEqual(4)
        const places = `${found.dump}\n${logged.join("\n")}`
        for (const secret of [...found.secrets, ...found.tokensIssued, masterKey]) {
          for (const form of formsOf(secret)) expect(places.includes(form)).toBe(false)
        }
        for (const form of found.bytes) expect(places.includes(form)).toBe(false)
      })
    )

    it.scopedLive("are sealed anew in steps that can be repeated, and tokens stay valid while keys are replaced", () =>
      Effect.gen(function* () {
        const [old, current] = [makeKey(), makeKey()]
        const storage = yield* Layer.build(TestEngine.storage(database))
        const engineWith = (secretBox: Layer.Layer<SecretBox.SecretBox>) =>
          Layer.build(
            TestEngine.engine({ secretBox, allowHosts: ["127.0.0.1"] }).pipe(
              Layer.provide(Layer.succeedContext(storage))
            )
          )
        const first = yield* engineWith(boxOf(old))
        const { tokensIssued } = yield* Effect.provide(populate, first)
        const accepted = (engine: typeof first) =>
          Effect.forEach(tokensIssued, (token) =>
            Effect.flatMap(Tokens, (tokens) =>
              Effect.map(
                tokens.authenticate(token, () => false),
                Option.isSome
              )
            )
          ).pipe(Effect.provide(engine))
        const both = yield* engineWith(boxOf(current, old))
        const secrets = yield* Effect.provide(Secrets, both)
        expect(yield* accepted(both)).toEqual([true])
        const before = yield* secrets.examine
        expect(before).toMatchObject({ current: 0, lost: [] })
        expect(before.older).toBeGreaterThanOrEqual(4)
        expect(yield* secrets.examine).toEqual(before)
        // Two operators at once, and then again: nothing is sealed twice with a lost update.
        yield* Effect.all([secrets.reseal, secrets.reseal], { concurrency: 2 })
        expect(yield* secrets.reseal).toEqual({ current: before.older, older: 0, lost: [] })
        const second = yield* engineWith(boxOf(current))
        expect(yield* accepted(second)).toEqual([true])
        expect(yield* Effect.flatMap(Secrets, (all) => all.examine).pipe(Effect.provide(second))).toEqual({
          current: before.older,
          older: 0,
          lost: []
        })
        expect(yield* accepted(yield* engineWith(boxOf(old)))).toEqual([false])
      })
    )

    it.scopedLive(
      "refuse tokens with a reason where the key is lost, make no other key, and recover by a new one",
      () =>
        Effect.gen(function* () {
          const storage = yield* Layer.build(TestEngine.storage(database))
          const engineWith = (secretBox: Layer.Layer<SecretBox.SecretBox>) =>
            Layer.build(TestEngine.engine({ secretBox }).pipe(Layer.provide(Layer.succeedContext(storage))))
          const first = yield* engineWith(boxOf(makeKey()))
          const { organization } = yield* Effect.provide(TestEngine.fixture, first)
          const issue = (engine: typeof first) =>
            Effect.flatMap(Tokens, (tokens) => tokens.issue({ kind: "oauth2" })).pipe(
              TestEngine.as(hostActor(organization.id)),
              Effect.provide(engine)
            )
          yield* issue(first)
          const other = yield* engineWith(boxOf(makeKey()))
          const none = yield* engineWith(SecretBox.layerNone)
          for (const [engine, reason] of [
            [other, "was sealed with a key that this engine does not have"],
            [none, "EARSHOT_SECRET_KEYS"]
          ] as const) {
            for (let round = 0; round < 3; round++) {
              expect(yield* Effect.flip(issue(engine))).toMatchObject({
                _tag: "ValidationFailed",
                errors: { non_field_errors: [expect.stringContaining(reason)] }
              })
            }
          }
          expect(yield* TestEngine.execute("SELECT kid FROM signing_keys").pipe(Effect.provide(storage))).toHaveLength(
            1
          )
          yield* Effect.flatMap(SigningKeys, (keys) => keys.rotate({ discardOld: true })).pipe(Effect.provide(other))
          yield* issue(other)
          expect(yield* TestEngine.execute("SELECT kid FROM signing_keys").pipe(Effect.provide(storage))).toHaveLength(
            1
          )
        })
    )
  })
}

describe("a file with secret keys", () => {
  const folder = Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-key-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )

  it.scopedLive("is created once however many processes start at once, readable by its owner only", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "calls.db.key")
      const keys = yield* Effect.all(
        Array.from({ length: 8 }, () => SecretKeyFile.readOrCreate(path)),
        { concurrency: 8 }
      )
      expect(new Set(keys.map(Redacted.value)).size).toBe(1)
      for (const key of keys) expect(Either.isRight(AesSecretBox.parse(key))).toBe(true)
      expect((yield* Effect.promise(() => stat(path))).mode & 0o777).toBe(0o600)
      expect(yield* Effect.promise(() => readdir(join(path, "..")))).toEqual(["calls.db.key"])
    })
  )

  it.scopedLive("holds one key a line, the first of which seals", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "keys")
      const [current, old] = [makeKey(), makeKey()]
      yield* Effect.promise(() => writeFile(path, `${current}\n${old}\n`))
      expect(Redacted.value(yield* SecretKeyFile.read(path))).toBe(`${current},${old}`)
    })
  )

  it.scopedLive("that cannot be read is an error that names it", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "none")
      expect((yield* Effect.flip(SecretKeyFile.read(path))).message).toBe(
        `The secret keys cannot be read from ${path}: ENOENT.`
      )
    })
  )
})
