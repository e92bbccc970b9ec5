import {
  AgentId,
  authorize,
  type CalledAgent,
  type CallRecord,
  CallStore,
  type Delivery,
  type Filters,
  hostActor,
  Organizations,
  nothingExpanded,
  Pages,
  type RedactedTranscript
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Arr from "effect/Array"
import type * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { at, delivery } from "./Deliveries.js"

const transcript = (content: string): RedactedTranscript => ({
  _tag: "RedactedTranscript",
  turns: [{ speaker: "main_agent", content, startTime: 0, endTime: 2.5, words: [] }],
  toolCalls: []
})

const recording = (name: string) => ({
  blobKey: `1/${name}`,
  contentType: "audio/wav",
  sizeBytes: 10,
  sha256: name,
  durationSeconds: 61,
  channels: 2,
  mainAgentChannelIndex: null
})

/** A new organization with its agent and permits. */
const fixture = Effect.gen(function* () {
  const organizations = yield* Organizations
  const founded = yield* organizations.create({ name: "Contract" })
  const actor = hostActor(founded.organization.id)
  const agent: CalledAgent = {
    id: founded.agent.id,
    organizationId: founded.organization.id,
    projectId: founded.project.id,
    name: founded.agent.name
  }
  return {
    agent,
    write: Either.getOrThrow(authorize(actor, "calls.ingest")),
    read: Either.getOrThrow(authorize(actor, "calls.read")),
    remove: Either.getOrThrow(authorize(actor, "calls.delete"))
  }
}).pipe(Effect.orDie)

const everything = (
  now = at(0)
): { filter: Filters.Filter; agentId: undefined; projectId: undefined; now: DateTime.Utc } => ({
  filter: null,
  agentId: undefined,
  projectId: undefined,
  now
})

/** The contract of every call store. */
export const callStoreContract = <E>(name: string, store: Layer.Layer<CallStore | Organizations, E>): void =>
  layer(store)(`the call store on ${name}`, (it) => {
    it.effect("finds a new call as deliver returned it", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const delivered = yield* calls.deliver(
          write,
          delivery(agent, "a", {
            traceId: "0af7651916cd43dd8448eb211c80319c",
            timestamp: at(5),
            customerNumber: "+49 30 1234",
            callEndedReason: "hangup",
            feedback: "fine",
            metadata: { region: "eu", list: [1, 2.5, "x", null, true] },
            dynamicVariables: "a text",
            transcript: { type: "service", content: transcript("Hello") },
            recording: recording("one"),
            receivedAt: at(7)
          })
        )
        expect(delivered).toMatchObject({ created: true, transcriptChanged: true, released: [] })
        expect(delivered.call).toMatchObject({ agentName: agent.name, durationSeconds: 61, success: null })
        expect(yield* calls.find(read, delivered.call.id)).toEqual(Option.some(delivered.call))
      })
    )

    it.effect("merges redeliveries into one record and reports what changed", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const first = yield* calls.deliver(write, delivery(agent, "a", { metadata: { b: 1, a: 2 } }))
        const same = yield* calls.deliver(write, delivery(agent, "a", { metadata: { a: 2, b: 1 }, receivedAt: at(1) }))
        expect(same).toEqual({ call: first.call, created: false, transcriptChanged: false, released: [] })
        const more = yield* calls.deliver(
          write,
          delivery(agent, "a", {
            transcript: { type: "service", content: transcript("Now we know") },
            recording: recording("first"),
            receivedAt: at(2)
          })
        )
        expect(more).toMatchObject({ created: false, transcriptChanged: true, released: [] })
        const other = yield* calls.deliver(
          write,
          delivery(agent, "a", { recording: recording("second"), receivedAt: at(3) })
        )
        expect(other).toMatchObject({ created: false, transcriptChanged: false, released: ["1/first"] })
        expect(yield* calls.find(read, first.call.id)).toEqual(Option.some(other.call))
        expect(other.call).toMatchObject({ id: first.call.id, createdAt: at(0), updatedAt: at(3) })
      })
    )

    it.effect("rejects a delivery that is not redacted by all fields of earlier ones, and reports the fields", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const transcribed = (content: string) => ({ transcript: { type: "service", content: transcript(content) } })
        const first = yield* calls.deliver(
          write,
          delivery(agent, "a", { ...transcribed("[SSN]"), redactFields: ["ssn"] })
        )
        expect(first.call.redactFields).toEqual(["ssn"])
        expect(yield* calls.findByCallId(write, agent.id, "a")).toEqual(Option.some(first.call))
        const under = yield* Effect.flip(calls.deliver(write, delivery(agent, "a", transcribed("078-05-1120"))))
        expect(under).toMatchObject({ _tag: "RedactionIncomplete", fields: ["ssn"] })
        const wider = yield* Effect.flip(calls.deliver(write, delivery(agent, "a", { redactFields: ["ssn", "dob"] })))
        expect(wider).toMatchObject({ _tag: "RedactionIncomplete", fields: ["dob", "ssn"] })
        expect(yield* calls.find(read, first.call.id)).toEqual(Option.some(first.call))
        const both = yield* calls.deliver(
          write,
          delivery(agent, "a", { ...transcribed("[SSN]"), recording: recording("one"), redactFields: ["dob", "ssn"] })
        )
        expect(both.call.redactFields).toEqual(["dob", "ssn"])
        const unmuted = yield* Effect.flip(
          calls.deliver(write, delivery(agent, "a", { ...transcribed("[SSN] [DOB]"), redactFields: ["dob", "ssn"] }))
        )
        expect(unmuted._tag).toBe("RedactionIncomplete")
        const dropped = yield* calls.deliver(
          write,
          delivery(agent, "a", { ...transcribed("[SSN] [DOB]"), redactFields: ["dob", "ssn"], dropsRecording: true })
        )
        expect(dropped).toMatchObject({ released: ["1/one"], call: { recording: null } })
        expect(yield* calls.find(read, first.call.id)).toEqual(Option.some(dropped.call))
        expect(yield* calls.findByCallId(write, agent.id, "b")).toEqual(Option.none())
      })
    )

    it.effect("stores a delivery with a merge base only on that call, and never creates a call from it", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, remove, write } = yield* fixture
        const first = yield* calls.deliver(write, delivery(agent, "a"))
        const { call } = first
        const stated: Partial<Delivery> = {
          transcript: { type: "service", content: transcript("Of the first call") },
          mergeBase: { call, transcript: false, recording: false, details: false }
        }
        const kept = yield* calls.deliver(write, delivery(agent, "a", stated))
        expect(kept).toMatchObject({ created: false, transcriptChanged: true, call: { id: call.id } })
        yield* calls.remove(remove, call.id)
        const gone = yield* Effect.flip(calls.deliver(write, delivery(agent, "a", stated)))
        expect(gone._tag).toBe("CallDeleted")
        expect(yield* calls.findByCallId(write, agent.id, "a")).toEqual(Option.none())
        const anew = yield* calls.deliver(write, delivery(agent, "a"))
        expect(anew).toMatchObject({ created: true, call: { transcript: null } })
        const another = yield* Effect.flip(calls.deliver(write, delivery(agent, "a", stated)))
        expect(another._tag).toBe("CallDeleted")
        expect(yield* calls.find(read, anew.call.id)).toEqual(Option.some(anew.call))
      })
    )

    it.effect("rejects a delivery whose merge base is stale", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const first = yield* calls.deliver(
          write,
          delivery(agent, "a", { transcript: { type: "service", content: transcript("One") }, metadata: { a: 1 } })
        )
        const later = yield* calls.deliver(
          write,
          delivery(agent, "a", {
            transcript: { type: "service", content: transcript("Two") },
            recording: recording("two"),
            metadata: { a: 2 }
          })
        )
        const taken = { transcript: false, recording: false, details: false }
        const made = (call: CallRecord, from: Partial<typeof taken>) =>
          delivery(agent, "a", {
            callEndedReason: "hangup",
            mergeBase: { call, ...taken, ...from },
            redactFields: ["ssn"],
            transcript: { type: "service", content: transcript("[SSN]") },
            recording: recording("muted")
          })
        for (const part of ["transcript", "recording", "details"] as const) {
          const failed = yield* Effect.flip(calls.deliver(write, made(first.call, { [part]: true })))
          expect(failed).toMatchObject({ _tag: "RedactionIncomplete", fields: ["ssn"] })
        }
        expect(yield* calls.find(read, first.call.id)).toEqual(Option.some(later.call))
        const all = { transcript: true, recording: true, details: true }
        const kept = yield* calls.deliver(write, made(later.call, all))
        expect(kept.call).toMatchObject({ callEndedReason: "hangup", redactFields: ["ssn"], metadata: { a: 2 } })
      })
    )

    it.effect("merges concurrent deliveries into one record in their order", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n),
          (n) => calls.deliver(write, delivery(agent, `call-${n % 40}`, { customerNumber: String(n) })),
          { concurrency: "unbounded" }
        )
        expect(outcomes.filter((one) => one.created)).toHaveLength(40)
        expect(new Set(outcomes.map((one) => one.call.id)).size).toBe(40)
        const last = Arr.unsafeGet(outcomes, 199).call
        expect(Option.getOrThrow(yield* calls.find(read, last.id)).callId).toBe("call-39")
      })
    )

    it.effect("fails only the delivery that cannot be stored", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const missing = { ...agent, id: MISSING_AGENT }
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => n),
          (n) => Effect.exit(calls.deliver(write, delivery(n === 7 ? missing : agent, `call-${n}`))),
          { concurrency: "unbounded" }
        )
        expect(outcomes.filter(Exit.isFailure)).toHaveLength(1)
        expect(Exit.isFailure(Arr.unsafeGet(outcomes, 7))).toBe(true)
        const page = yield* calls.list(read, everything(), { cursor: Pages.firstPage, limit: 50 }, nothingExpanded)
        expect(page.rows).toHaveLength(19)
      })
    )

    it.effect("stores the other deliveries when one caller is interrupted", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const ready = yield* Deferred.make<undefined>()
        const fibers = yield* Effect.forEach(
          Array.from({ length: 10 }, (_, n) => n),
          (n) => Effect.fork(Effect.zipRight(Deferred.await(ready), calls.deliver(write, delivery(agent, `call-${n}`))))
        )
        yield* Deferred.succeed(ready, undefined)
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(Arr.unsafeGet(fibers, 3))
        const others = yield* Effect.forEach(
          fibers.filter((_, n) => n !== 3),
          Fiber.join
        )
        for (const { call } of others) expect(Option.isSome(yield* calls.find(read, call.id))).toBe(true)
      })
    )

    it.effect("finds no call of another organization", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const mine = yield* fixture
        const theirs = yield* fixture
        const { call } = yield* calls.deliver(theirs.write, delivery(theirs.agent, "secret"))
        expect(yield* calls.find(mine.read, call.id)).toEqual(Option.none())
        const page = { cursor: Pages.firstPage, limit: 10 }
        expect((yield* calls.list(mine.read, everything(), page, nothingExpanded)).rows).toEqual([])
        yield* calls.saveReview(mine.write, { ...call, feedback: "changed" })
        yield* calls.remove(mine.remove, call.id)
        expect(yield* calls.find(theirs.read, call.id)).toEqual(Option.some(call))
      })
    )

    it.effect("pages through calls newest first, and back", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, write } = yield* fixture
        const kept = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => calls.deliver(write, delivery(agent, `call-${n}`)))
        const ids = kept.map((one) => one.call.id)
        const list = (cursor: Pages.Cursor) =>
          Effect.map(calls.list(read, everything(), { cursor, limit: 2 }, nothingExpanded), ({ hasMore, rows }) => ({
            hasMore,
            ids: rows.map((call) => call.id)
          }))
        expect(yield* list(Pages.firstPage)).toEqual({ hasMore: true, ids: [ids[4], ids[3]] })
        expect(yield* list({ at: "before", id: Arr.unsafeGet(ids, 2) })).toEqual({
          hasMore: false,
          ids: [ids[1], ids[0]]
        })
        expect(yield* list({ at: "after", id: Arr.unsafeGet(ids, 1) })).toEqual({
          hasMore: true,
          ids: [ids[2], ids[3]]
        })
      })
    )

    it.effect("saves a review, and deletes a call with everything that belongs to it", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const { agent, read, remove, write } = yield* fixture
        const { call } = yield* calls.deliver(
          write,
          delivery(agent, "a", {
            transcript: { type: "service", content: transcript("Hi") },
            recording: recording("one")
          })
        )
        const reviewed = {
          ...call,
          success: false,
          isReviewed: true,
          feedback: "wrong number",
          feedbackByPerson: true,
          topic: "billing",
          dropoffPoint: "greeting",
          updatedAt: at(9)
        }
        yield* calls.saveReview(write, reviewed)
        expect(yield* calls.find(read, call.id)).toEqual(Option.some(reviewed))
        yield* calls.remove(remove, call.id)
        expect(yield* calls.find(read, call.id)).toEqual(Option.none())
        const again = yield* calls.deliver(write, delivery(agent, "a"))
        expect(again).toMatchObject({ created: true, call: { transcript: null, recording: null } })
      })
    )
  })

/** Ids ascend from 1; no test creates that many agents. */
const MISSING_AGENT = AgentId.make(1_000_000_007)
