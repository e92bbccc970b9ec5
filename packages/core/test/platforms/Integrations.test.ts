import { Agents, Calls, Metrics, PlatformWebhooks, Platforms, Projects, Secrets, untrusted } from "@earshot/core"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { createHmac } from "node:crypto"

const START = 1_741_107_600_000
const SECRET = "key_0123456789"
let number = 0

const parse = (bytes: Uint8Array) =>
  Either.try({ try: (): unknown => JSON.parse(Buffer.from(bytes).toString()), catch: () => "not JSON" as const })

const setUp = Effect.gen(function* () {
  yield* TestClock.setTime(START)
  const fixture = yield* TestEngine.fixture
  const as = TestEngine.as(fixture.actor)
  const integrations = yield* Platforms.Integrations
  const webhooks = yield* PlatformWebhooks
  const calls = yield* Calls
  const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)
  const ended = (more: object = {}) =>
    Buffer.from(
      JSON.stringify({
        event: "call_ended",
        call: {
          call_id: `call-${number++}`,
          agent_id: "retell-agent",
          transcript_object: [{ role: "user", content: "My number is 402-77-1234.", words: [] }],
          ...more
        }
      })
    )
  const signed = (body: Uint8Array, secret = SECRET, at = START) => ({
    body,
    headers: {
      "x-retell-signature": `v=${at},d=${createHmac("sha256", secret).update(body).update(String(at)).digest("hex")}`
    }
  })
  const post = (publicId: string, request: Platforms.SignedRequest) => webhooks.receive(publicId, request, parse)
  const rejectionOf = (publicId: string, request: Platforms.SignedRequest) =>
    Effect.map(Effect.flip(post(publicId, request)), (error) => (typeof error === "string" ? error : error._tag))
  return { ...fixture, as, calls, ended, errorsOf, integrations, post, rejectionOf, signed, webhooks }
})

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database, { cacheTtl: "1 minute" }))(`integrations on ${database}`, (it) => {
    it.effect("receive signed webhooks of one agent, with its fields to redact", () =>
      Effect.gen(function* () {
        const { agent, as, calls, ended, integrations, post, signed } = yield* setUp
        const { integration, secret } = yield* as(
          integrations.create({
            platform: "retell",
            agent: agent.id,
            secret: SECRET,
            redact_fields: ["ssn"],
            name: "Desk"
          })
        )
        expect(secret).toBe(null)
        expect(integration).toMatchObject({
          platform: "provider_b",
          agentId: agent.id,
          redactFields: ["ssn"],
          name: "Desk"
        })
        const { event, ingested } = yield* post(integration.publicId, signed(ended()))
        expect([event, ingested?.created, ingested?.call.agentId]).toEqual(["call_ended", true, agent.id])
        const call = yield* as(calls.read(ingested!.call.id))
        expect(call.transcript?.turns[0]?.content).toBe("My number is [SSN].")
        expect(call.redactFields).toEqual(["ssn"])
        expect(JSON.stringify(yield* as(integrations.list({})))).not.toContain(SECRET)
      })
    )

    it.effect("refuse what is unsigned, wrongly signed, expired or to an unknown address, and store nothing", () =>
      Effect.gen(function* () {
        const { agent, as, calls, ended, integrations, post, rejectionOf, signed, webhooks } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        const body = ended()
        const before = webhooks.refusals()
        expect(yield* rejectionOf(integration.publicId, { body, headers: {} })).toBe("Unauthenticated")
        expect(yield* rejectionOf(integration.publicId, signed(body, "another-secret"))).toBe("Unauthenticated")
        expect(yield* rejectionOf(integration.publicId, signed(body, SECRET, START - 301_000))).toBe("Unauthenticated")
        expect(yield* rejectionOf(integration.publicId, { ...signed(body), body: ended() })).toBe("Unauthenticated")
        expect(yield* rejectionOf("A".repeat(27), signed(body))).toBe("Unauthenticated")
        expect(yield* rejectionOf("../../etc/passwd", signed(body))).toBe("Unauthenticated")
        expect((yield* as(calls.list({ agent_id: agent.id }))).results).toEqual([])
        expect((yield* post(integration.publicId, signed(body))).ingested?.created).toBe(true)
        expect(webhooks.refusals() - before).toBe(6)
        // The platform's own retry is signed anew.
        expect((yield* post(integration.publicId, signed(body, SECRET, START + 1000))).ingested?.created).toBe(false)
      })
    )

    it.effect("answer the same request again within its time, as a platform repeats it, and store nothing of it", () =>
      Effect.gen(function* () {
        const { agent, as, calls, ended, integrations, post, rejectionOf, signed, webhooks } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        const another = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        const request = signed(ended({ call_id: "again", disconnection_reason: "user_hangup" }))
        const first = yield* post(integration.publicId, request)
        const id = first.ingested!.call.id
        // A later event of the call, and a person's review.
        yield* post(integration.publicId, signed(ended({ call_id: "again", disconnection_reason: "agent_hangup" })))
        yield* as(calls.review(id, { success: true, is_reviewed: true }))
        const refusals = webhooks.refusals()
        const before = yield* TestEngine.dump
        const repeated = { event: "call_ended", outcome: "repeated", ingested: undefined }
        const receipts = yield* Effect.forEach(Array.from({ length: 5 }), () => post(integration.publicId, request), {
          concurrency: "unbounded"
        })
        for (const receipt of receipts) expect(receipt).toMatchObject(repeated)
        expect(yield* TestEngine.dump).toBe(before)
        yield* as(calls.delete(id))
        expect(yield* post(integration.publicId, request)).toMatchObject(repeated)
        expect((yield* as(calls.list({ agent_id: agent.id }))).results).toEqual([])
        expect(webhooks.refusals()).toBe(refusals)
        expect(webhooks.counts()).toContainEqual(
          expect.objectContaining({ platform: "provider_b", outcome: "repeated" })
        )
        // Another integration has not accepted it.
        expect((yield* post(another.integration.publicId, request)).outcome).toBe("stored")
        yield* TestClock.setTime(START + 300_000)
        expect(yield* post(integration.publicId, request)).toMatchObject(repeated)
        yield* TestClock.setTime(START + 300_001)
        expect(yield* rejectionOf(integration.publicId, request)).toBe("Unauthenticated")
      })
    )

    it.effect("recognize a repeated request with two signatures if one of them is left out", () =>
      Effect.gen(function* () {
        const { agent, as, integrations, post } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "pipecat", agent: agent.id, secret: SECRET }))
        const next = "key_of_tomorrow"
        yield* as(integrations.rotate(integration.id, { secret: next, previous_valid_seconds: 60 }))
        const body = Buffer.from(JSON.stringify({ call_id: "two", messages: [] }))
        const time = String(START / 1000)
        const [one, two] = [SECRET, next].map(
          (secret) => `v1,${createHmac("sha256", secret).update(`msg_1.${time}.`).update(body).digest("base64")}`
        )
        const request = (...signatures: ReadonlyArray<string | undefined>) => ({
          body,
          headers: { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": signatures.join(" ") }
        })
        expect((yield* post(integration.publicId, request(one, two))).outcome).toBe("stored")
        for (const signatures of [[one, two], [two, one], [one], [two]]) {
          expect((yield* post(integration.publicId, request(...signatures))).outcome).toBe("repeated")
        }
      })
    )

    it.effect("process the same request again after a storage error, and store one call of it", () =>
      Effect.gen(function* () {
        const { agent, as, calls, ended, integrations, post, rejectionOf, signed } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        // Neither a call nor a signature can be stored while its table lacks a column.
        for (const [table, column, isStored] of [
          ["calls", "call_ended_reason", false],
          ["received_webhooks", "expires_ms", true]
        ] as const) {
          const request = signed(ended({ call_id: table, disconnection_reason: "user_hangup" }))
          yield* TestEngine.execute(`ALTER TABLE ${table} RENAME COLUMN ${column} TO away`)
          expect(yield* rejectionOf(integration.publicId, request)).toBe("StorageFailed")
          yield* TestEngine.execute(`ALTER TABLE ${table} RENAME COLUMN away TO ${column}`)
          const again = yield* post(integration.publicId, request)
          expect([again.outcome, again.ingested?.created]).toEqual(["stored", !isStored])
          expect(again.ingested?.call.callEndedReason).toBe("user_hangup")
          expect((yield* post(integration.publicId, request)).outcome).toBe("repeated")
        }
        expect((yield* as(calls.list({ agent_id: agent.id }))).results).toHaveLength(2)
      })
    )

    it.effect("accept the same request again after it was ignored or failed", () =>
      Effect.gen(function* () {
        const { agent, as, ended, integrations, post, rejectionOf, signed } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        const request = signed(ended({ call_id: "x".repeat(101) }))
        for (const _ of [1, 2]) {
          expect(yield* post(integration.publicId, request)).toMatchObject({
            outcome: "ignored",
            reason: "call_id: Ensure this field has no more than 100 characters.",
            ingested: undefined
          })
        }
        expect(yield* rejectionOf(integration.publicId, signed(Buffer.from("{")))).toBe("not JSON")
      })
    )

    it.effect("store the call with the other metrics if one of the integration's is gone", () =>
      Effect.gen(function* () {
        const { agent, as, ended, integrations, post, signed } = yield* setUp
        const metrics = yield* Metrics
        const newMetric = (name: string) =>
          as(metrics.create({ agent: agent.id, name, type: "llm_judge", eval_type: "binary", prompt: "Polite?" }))
        const metric = yield* newMetric("Polite")
        const kept = yield* newMetric("Brief")
        const { integration } = yield* as(
          integrations.create({ platform: "retell", agent: agent.id, secret: SECRET, metric_ids: [metric.id, kept.id] })
        )
        yield* as(metrics.delete(metric.id))
        const receipt = yield* post(integration.publicId, signed(ended()))
        expect([receipt.outcome, receipt.ingested?.created]).toEqual(["stored", true])
        expect(receipt.reason).toContain("metric_ids: Invalid pk")
        expect(receipt.ingested?.call.requestedMetrics).toEqual([kept.id])
        const rows = [
          { role: "agent", content: 5 },
          { role: "user", content: "Hello." }
        ]
        const damaged = yield* post(integration.publicId, signed(ended({ transcript_object: rows })))
        expect(damaged.reason).toContain("call.transcript_object[0].content: Not a valid string.")
        expect(damaged.reason).toContain("metric_ids: Invalid pk")
        expect(damaged.ingested?.call.transcript?.turns.map(({ content }) => content)).toEqual(["Hello."])
      })
    )

    it.effect("accept two secrets while one replaces the other, and one afterwards", () =>
      Effect.gen(function* () {
        const { agent, as, ended, integrations, post, rejectionOf, signed } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        const next = "key_of_tomorrow"
        const rotated = yield* as(integrations.rotate(integration.id, { secret: next, previous_valid_seconds: 60 }))
        expect(rotated.integration.previousSecretUntil?.epochMillis).toBe(START + 60_000)
        yield* post(integration.publicId, signed(ended(), SECRET))
        yield* post(integration.publicId, signed(ended(), next))
        yield* TestClock.setTime(START + 61_000)
        expect(yield* rejectionOf(integration.publicId, signed(ended(), SECRET))).toBe("Unauthenticated")
        yield* post(integration.publicId, signed(ended(), next))
        yield* as(integrations.rotate(integration.id, { secret: SECRET, previous_valid_seconds: 0 }))
        expect(yield* rejectionOf(integration.publicId, signed(ended(), next))).toBe("Unauthenticated")
        yield* post(integration.publicId, signed(ended(), SECRET))
      })
    )

    it.effect("make a secret where the platform takes one, and require it where the platform has its own", () =>
      Effect.gen(function* () {
        const { agent, as, errorsOf, integrations, post } = yield* setUp
        const { integration, secret } = yield* as(integrations.create({ platform: "vapi", agent: agent.id }))
        expect(secret).toMatch(/^whsec_/)
        const body = Buffer.from(JSON.stringify({ message: { type: "hang", call: { id: "1" } } }))
        const receipt = yield* post(integration.publicId, { body, headers: { "x-vapi-secret": secret ?? "" } })
        expect(receipt).toMatchObject({ event: "hang", ingested: undefined })
        for (const platform of ["retell", "elevenlabs"]) {
          expect(yield* errorsOf(as(integrations.create({ platform, agent: agent.id })))).toMatchObject({
            errors: { secret: ["This field is required: the platform signs with a secret of its own."] }
          })
        }
      })
    )

    it.effect("find agents of their project only, by the platform's id", () =>
      Effect.gen(function* () {
        const { agent, as, ended, integrations, post, project, signed } = yield* setUp
        const outcomeOf = (publicId: string) =>
          Effect.map(post(publicId, signed(ended())), ({ outcome, reason }) => [outcome, reason])
        const unknown = ["ignored", 'assistant_id: Invalid pk "retell-agent" - object does not exist.']
        const agents = yield* Agents
        const projects = yield* Projects
        const { integration } = yield* as(
          integrations.create({ platform: "retell", project: project.id, secret: SECRET })
        )
        expect(integration.agentId).toBe(null)
        expect(yield* outcomeOf(integration.publicId)).toEqual(unknown)
        yield* as(agents.update(agent.id, { assistant_id: "retell-agent" }))
        expect((yield* post(integration.publicId, signed(ended()))).ingested?.call.agentId).toBe(agent.id)
        const elsewhere = yield* as(projects.create({ name: "Elsewhere" }))
        const other = yield* as(integrations.create({ platform: "retell", project: elsewhere.id, secret: SECRET }))
        expect(yield* outcomeOf(other.integration.publicId)).toEqual(unknown)
      })
    )

    it.effect("reject invalid input with every error", () =>
      Effect.gen(function* () {
        const { agent, as, errorsOf, integrations, project } = yield* setUp
        expect(
          yield* errorsOf(as(integrations.create(untrusted({ platform: "bland", redact_fields: ["x"] }))))
        ).toMatchObject({
          errors: { platform: expect.anything(), "redact_fields[0]": expect.anything() }
        })
        expect(yield* errorsOf(as(integrations.create({ platform: "vapi" })))).toMatchObject({
          errors: { agent: expect.anything(), project: expect.anything() }
        })
        expect(yield* errorsOf(as(integrations.create({ platform: "vapi", agent: agent.id + 999 })))).toMatchObject({
          errors: { agent: expect.anything() }
        })
        expect(
          yield* errorsOf(as(integrations.create({ platform: "vapi", agent: agent.id, secret: "short" })))
        ).toMatchObject({
          errors: { secret: expect.anything() }
        })
        expect(
          yield* errorsOf(as(integrations.create({ platform: "vapi", project: project.id, metric_ids: [1] })))
        ).toMatchObject({ errors: { metric_ids: ["Metrics belong to agents: create an integration of an agent."] } })
        expect(
          yield* errorsOf(as(integrations.create({ platform: "vapi", agent: agent.id, metric_ids: [999_999] })))
        ).toMatchObject({ errors: { metric_ids: expect.anything() } })
      })
    )

    it.effect("are read, changed and deleted within their organization, and their address is refused at once", () =>
      Effect.gen(function* () {
        const { agent, as, ended, errorsOf, integrations, post, rejectionOf, signed } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        yield* post(integration.publicId, signed(ended()))
        const other = TestEngine.as((yield* TestEngine.fixture).actor)
        for (const attempt of [
          integrations.read(integration.id),
          integrations.update(integration.id, {}),
          integrations.rotate(integration.id, { secret: SECRET }),
          integrations.delete(integration.id)
        ]) {
          expect(yield* errorsOf(other(attempt))).toMatchObject({ _tag: "NotFound" })
        }
        const changed = yield* as(integrations.update(integration.id, { name: "New", redact_fields: ["ssn"] }))
        expect(yield* as(integrations.read(integration.id))).toEqual(changed)
        const { ingested } = yield* post(integration.publicId, signed(ended()))
        expect(ingested?.call.redactFields).toEqual(["ssn"])
        yield* as(integrations.delete(integration.id))
        expect(yield* rejectionOf(integration.publicId, signed(ended()))).toBe("Unauthenticated")
        expect(yield* errorsOf(as(integrations.read(integration.id)))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("keep accepted signatures until they expire, and their secrets sealed", () =>
      Effect.gen(function* () {
        const { agent, as, ended, integrations, post, signed } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        yield* post(integration.publicId, signed(ended()))
        const stored = () =>
          TestEngine.execute(`SELECT signature FROM received_webhooks WHERE integration_id = ${integration.id}`)
        yield* integrations.purge
        expect(yield* stored()).toHaveLength(1)
        yield* TestClock.setTime(START + 301_000)
        yield* integrations.purge
        expect(yield* stored()).toHaveLength(0)
        expect(yield* TestEngine.dump).not.toContain(SECRET)
        const report = yield* (yield* Secrets).examine
        expect(report.current).toBeGreaterThan(0)
        expect(report.lost).toEqual([])
      })
    )
  })

  const limited = { rateLimiter: RateLimits.layerMemory({ refusals: { points: 3, seconds: 60 } }) }
  layer(TestEngine.layer(database, limited))(`integrations behind an address that guesses, on ${database}`, (it) => {
    it.effect("are found all the same, and addresses that do not exist are refused together", () =>
      Effect.gen(function* () {
        const { agent, as, ended, integrations, signed, webhooks } = yield* setUp
        const { integration } = yield* as(integrations.create({ platform: "retell", agent: agent.id, secret: SECRET }))
        const tagOf = (publicId: string) =>
          Effect.map(
            Effect.either(webhooks.receive(publicId, { ...signed(ended()), from: "192.0.2.1" }, parse)),
            (one) => (Either.isRight(one) ? one.right.outcome : typeof one.left === "string" ? one.left : one.left._tag)
          )
        const guesses = Array.from({ length: 5 }, (_, n) => String(n).repeat(27))
        const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.fork(effect)
            for (let turn = 0; turn < 10_000 && fiber.unsafePoll() === null; turn++) {
              yield* TestClock.adjust("20 millis")
              yield* Effect.promise(() => new Promise(setImmediate))
            }
            return yield* Fiber.join(fiber)
          })
        // Lookups for suspects wait for each other, so time has to pass for the last two as well.
        const first = yield* inTime(Effect.forEach(guesses, tagOf))
        expect(first).toEqual([...Array(3).fill("Unauthenticated"), ...Array(2).fill("RateLimited")])
        const later = [integration.publicId, ...guesses.map((guess) => guess.replace(/^./, "x")), integration.publicId]
        expect(yield* inTime(Effect.forEach(later, tagOf, { concurrency: "unbounded" }))).toEqual([
          "stored",
          ...Array(5).fill("RateLimited"),
          "stored"
        ])
      })
    )
  })
}
