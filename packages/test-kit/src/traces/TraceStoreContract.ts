import { type AgentId, CallStore, Organizations, type Permit, Tracing, UnitOfWork } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestServices from "effect/TestServices"
import * as fc from "fast-check"
import { delivery } from "../calls/Deliveries.js"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { parameters } from "../Property.js"
import { at } from "../storage/Moments.js"

/** An organization with an agent. */
const newOrganization = Effect.gen(function* () {
  const { agent, organization, project } = yield* (yield* Organizations).create({ name: "Contract" })
  const store = yield* Tracing.TraceStore
  const calls = yield* CallStore
  const work = yield* UnitOfWork
  const toWrite = permit(organization.id, "traces.receive")
  const toRead = permit(organization.id, "traces.list")
  const claim = (
    keys: ReadonlyArray<string>,
    {
      now = 0,
      of = toWrite,
      scope = "",
      ...trace
    }: Partial<Pick<Tracing.Trace, "agentId" | "redactFields">> & {
      readonly now?: number
      readonly of?: Permit<"calls:write">
      readonly scope?: string
    } = {}
  ) => work.atomically(store.claim(of, { scope, keys }, { agentId: null, redactFields: [], ...trace }, at(now)))
  /** Changes a trace as it is stored. */
  const change = (
    { trace }: Tracing.StoredTrace,
    {
      trace: fields,
      ...stated
    }: Partial<Omit<Tracing.StoredTrace, "trace">> & { readonly trace?: Partial<Tracing.Trace> }
  ) =>
    Effect.gen(function* () {
      const found = Option.getOrThrow(yield* store.findForUpdate(toWrite, trace.id))
      const changed = { ...found, ...stated, trace: new Tracing.Trace({ ...found.trace, ...fields }) }
      yield* store.save(toWrite, changed)
      return changed
    })
  const called = { id: agent.id, organizationId: organization.id, projectId: project.id, name: agent.name }
  const newCall = (callId: string) =>
    Effect.map(calls.deliver(permit(organization.id, "calls.ingest"), delivery(called, callId)), ({ call }) => call.id)
  const find = (trace: Tracing.StoredTrace) => store.findForUpdate(toWrite, trace.trace.id)
  return { agentId: agent.id, calls, change, claim, find, newCall, organization, store, toRead, toWrite, work }
  // An organization without an agent is not what the tests are about.
}).pipe(Effect.orDie)

const part = (span: string, start: number, text = span): Tracing.TracePart => ({
  kind: "agent_turn",
  source: "livekit",
  trace: "t",
  span,
  start,
  end: start + 1,
  text
})

const textsOf = (parts: ReadonlyArray<Tracing.TracePart>) => parts.map(({ text }) => text)

/** The sets of keys that claims have connected, sorted. */
const connected = (claims: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> =>
  claims
    .reduce<ReadonlyArray<ReadonlySet<string>>>((sets, keys) => {
      const isJoined = (set: ReadonlySet<string>) => keys.some((key) => set.has(key))
      return [
        ...sets.filter((set) => !isJoined(set)),
        new Set([...keys, ...sets.filter(isJoined).flatMap((set) => [...set])])
      ]
    }, [])
    .map((set) => [...set].sort())
    .sort()

const keySets = fc.array(fc.subarray(["a", "b", "c", "d", "e", "f"], { minLength: 1, maxLength: 3 }), {
  minLength: 2,
  maxLength: 7
})

/** Registers the contract tests of `TraceStore`; the database may be empty or in use. */
export const traceStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<Tracing.TraceStore | CallStore | Organizations | UnitOfWork, E>
): void => {
  layer(stores)(`traces kept by ${subject}`, (it) => {
    it.effect("are new for new keys, and found as last saved", () =>
      Effect.gen(function* () {
        const { agentId, change, claim, find, newCall, organization, store, toWrite } = yield* newOrganization
        const claimed = yield* claim(["a", "b"], { agentId, redactFields: ["ssn"], now: 5 })
        const trace = new Tracing.Trace({
          id: claimed.trace.id,
          organizationId: organization.id,
          state: "collecting",
          agentId,
          callId: null,
          redactFields: ["ssn"],
          spans: 0,
          unknownSpans: 0,
          unknownNames: {},
          error: null,
          createdAt: at(5),
          lastSpanAt: at(5)
        })
        expect(claimed).toEqual({
          trace,
          scope: "",
          version: 0,
          ingestedVersion: null,
          dueMillis: null,
          supersededCalls: [],
          jobMillis: null
        })
        const callId = yield* newCall("call")
        const changed = yield* change(claimed, {
          version: 4,
          ingestedVersion: 3,
          dueMillis: 300_005,
          jobMillis: 10_005,
          supersededCalls: [callId],
          trace: {
            state: "failed",
            callId,
            redactFields: ["ssn", "phone_number"],
            spans: 7,
            unknownSpans: 2,
            unknownNames: { "a'b😀": 2 },
            error: "No agent.",
            lastSpanAt: at(9)
          }
        })
        expect(yield* find(claimed)).toEqual(Option.some(changed))
        expect(yield* store.find(toWrite, { scope: "", keys: ["x", "b"] })).toEqual([changed])
        expect(yield* store.find(toWrite, { scope: "", keys: ["x"] })).toEqual([])
        // What a later claim states is for a new trace alone.
        expect(yield* claim(["b", "c"], { redactFields: ["email_address"], now: 9 })).toEqual(changed)
        expect(yield* store.find(toWrite, { scope: "", keys: ["c"] })).toEqual([changed])
      })
    )

    for (const [how, concurrency] of [
      ["one after another", 1],
      ["at once", "unbounded"]
    ] as const) {
      it.effect(`of keys that are claimed ${how} are one for all that are connected, with all their parts`, () =>
        Effect.forEach(
          fc.sample(keySets, { ...parameters(8) }),
          (sets) =>
            Effect.gen(function* () {
              const { store, toWrite, work } = yield* newOrganization
              const address = (keys: ReadonlyArray<string>) => ({ scope: "", keys })
              yield* Effect.forEach(
                sets,
                (keys, index) =>
                  work.atomically(
                    Effect.gen(function* () {
                      const fresh = { agentId: null, redactFields: [] }
                      const { trace } = yield* store.claim(toWrite, address(keys), fresh, at(0))
                      yield* store.addParts(trace.id, [part(`${index}`, index)])
                    })
                  ),
                { concurrency, discard: true }
              )
              const groups = connected(sets)
              const found = yield* Effect.forEach(groups, (keys) => store.find(toWrite, address(keys)))
              expect(found.map((traces) => traces.length)).toEqual(groups.map(() => 1))
              const all = found.flat().map(({ trace }) => trace.id)
              expect(new Set(all).size).toBe(groups.length)
              const texts = yield* Effect.forEach(all, (id) => Effect.map(store.parts(id, 99), textsOf))
              expect(texts).toEqual(
                groups.map((group) =>
                  sets.flatMap((keys, index) => (keys.some((key) => group.includes(key)) ? [`${index}`] : []))
                )
              )
            }),
          { discard: true }
          // A transaction that the database undoes is repeated after a delay.
        ).pipe(TestServices.provideLive)
      )
    }

    it.effect("that are joined keep the oldest, with the fields, counts, calls and the earliest time of all", () =>
      Effect.gen(function* () {
        const { change, claim, find, newCall, store } = yield* newOrganization
        const [one, two, three] = [yield* claim(["a"]), yield* claim(["b"]), yield* claim(["c"])]
        const [first, second, before] = [yield* newCall("1"), yield* newCall("2"), yield* newCall("3")]
        yield* store.addParts(one.trace.id, [part("s1", 3), part("s2", 1)])
        yield* store.addParts(two.trace.id, [part("s2", 1, "the same span"), part("s3", 2)])
        yield* change(one, {
          version: 2,
          ingestedVersion: 2,
          trace: {
            state: "stored",
            callId: first,
            spans: 2,
            redactFields: ["ssn"],
            unknownSpans: 1,
            unknownNames: { x: 1 }
          }
        })
        yield* change(two, {
          version: 3,
          dueMillis: 300_000,
          supersededCalls: [before, first],
          trace: {
            callId: second,
            spans: 2,
            redactFields: ["ssn", "email_address"],
            unknownSpans: 5,
            unknownNames: { x: 2, y: 3 }
          }
        })
        yield* change(three, { dueMillis: 20_000 })
        const joined = yield* claim(["c", "b", "a"], { now: 9 })
        expect(joined).toMatchObject({
          version: 5,
          ingestedVersion: 2,
          dueMillis: 20_000,
          trace: {
            id: one.trace.id,
            state: "stored",
            callId: first,
            spans: 3,
            redactFields: ["ssn", "email_address"],
            unknownSpans: 6,
            unknownNames: { x: 3, y: 3 }
          }
        })
        expect(joined.supersededCalls.toSorted()).toEqual([before, second].toSorted())
        expect(textsOf(yield* store.parts(one.trace.id, 99))).toEqual(["s2", "s3", "s1"])
        for (const gone of [two, three]) {
          expect(yield* find(gone)).toEqual(Option.none())
          expect(yield* store.parts(gone.trace.id, 99)).toEqual([])
        }
      })
    )

    it.effect("count each span once, however late and often it arrives, and list the last ones by their start", () =>
      Effect.gen(function* () {
        const { claim, store } = yield* newOrganization
        const { trace } = yield* claim(["a"])
        const { trace: other } = yield* claim(["b"])
        expect(yield* store.addParts(trace.id, [part("s3", 3), part("s1", 1.5)])).toBe(2)
        expect(yield* store.addParts(trace.id, [part("s1", 9, "again"), part("s2", 2)])).toBe(1)
        expect(yield* store.addParts(trace.id, [])).toBe(0)
        expect(yield* store.addParts(other.id, [part("s1", 7)])).toBe(1)
        expect(yield* store.parts(trace.id, 99)).toEqual([part("s1", 1.5), part("s2", 2), part("s3", 3)])
        expect(textsOf(yield* store.parts(trace.id, 2))).toEqual(["s2", "s3"])
        yield* store.replaceParts(trace.id, [part("s2", 2, "redacted")])
        expect(textsOf(yield* store.parts(trace.id, 99))).toEqual(["s1", "redacted", "s3"])
        expect(textsOf(yield* store.parts(other.id, 99))).toEqual(["s1"])
        const many = Array.from({ length: 1_001 }, (_, index) => part(`m${index}`, index))
        expect(yield* store.addParts(other.id, [...many, ...many.slice(0, 1)])).toBe(1_001)
        yield* store.replaceParts(other.id, many)
        expect(yield* store.parts(other.id, 9_999)).toHaveLength(1_002)
      })
    )

    it.effect("do not exist for another organization or for senders with other scopes", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { store } = mine
        const made = yield* mine.claim(["a"])
        const others = [yield* theirs.claim(["a"]), yield* mine.claim(["a"], { scope: "project:1;" })]
        expect(new Set([made, ...others].map(({ trace }) => trace.id)).size).toBe(3)
        expect(yield* store.find(mine.toWrite, { scope: "", keys: ["a"] })).toEqual([made])
        expect(yield* store.findForUpdate(theirs.toWrite, made.trace.id)).toEqual(Option.none())
        expect(yield* store.read(theirs.toRead, made.trace.id)).toEqual(Option.none())
        expect(yield* store.read(mine.toRead, made.trace.id)).toEqual(Option.some(made.trace))
        yield* store.save(theirs.toWrite, { ...made, version: 9 })
        expect(yield* mine.find(made)).toEqual(Option.some(made))
        const pages = yield* everyPage((page) => store.list(theirs.toRead, { state: undefined }, page), { limit: 9 })
        expect(pages.flatMap(({ results }) => results.map(({ id }) => id))).toEqual([others[0]?.trace.id])
        const { agentId } = mine
        expect(yield* store.ofCall(theirs.toWrite, { agentId, callId: "a" })).toEqual([])
      })
    )

    it.effect("are found by their call, and calls without one", () =>
      Effect.gen(function* () {
        const { agentId, calls, change, claim, find, newCall, organization, store, toWrite } = yield* newOrganization
        const [stored, other] = [yield* newCall("conversation-1"), yield* newCall("other")]
        const made = yield* change(yield* claim(["a"]), { trace: { callId: stored } })
        const found = (callId: string, of: AgentId = agentId) =>
          Effect.map(store.ofCall(toWrite, { agentId: of, callId }), (all) => all.map(({ trace }) => trace.id))
        expect(yield* found("conversation-1")).toEqual([made.trace.id])
        expect(yield* found("other")).toEqual([])
        expect(yield* store.withoutTrace(toWrite, [other, stored])).toEqual([other])
        expect(yield* store.withoutTrace(toWrite, [])).toEqual([])
        yield* calls.remove(permit(organization.id, "calls.delete"), stored)
        expect(yield* find(made)).toEqual(Option.none())
        expect(yield* store.find(toWrite, { scope: "", keys: ["a"] })).toEqual([])
      })
    )

    it.effect("are listed newest first in pages, all or those of a state", () =>
      Effect.gen(function* () {
        const { change, claim, store, toRead } = yield* newOrganization
        const made = yield* Effect.forEach(["a", "b", "c", "d", "e"], (key) => claim([key]))
        const ids = made.map(({ trace }) => trace.id).toReversed()
        for (const one of made.slice(1, 4)) yield* change(one, { trace: { state: "failed", error: "No agent." } })
        let count = 0
        // Adding a trace between pages is part of the setup: only the pages are compared.
        const between = Effect.suspend(() => Effect.orDie(claim([`between ${count++}`])))
        const listed = (state: Tracing.TraceState | undefined, more: Effect.Effect<unknown> = Effect.void) =>
          Effect.map(
            everyPage((page) => store.list(toRead, { state }, page), { limit: 2, between: more }),
            (pages) => pages.map(({ results }) => results.map(({ id }) => id))
          )
        expect(yield* listed(undefined, between)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
        expect(yield* listed("failed")).toEqual([ids.slice(1, 3), ids.slice(3, 4)])
        expect(yield* listed("closed")).toEqual([[]])
      })
    )

    it.effect("are closed a time after their last span without their parts, and deleted after another", () =>
      Effect.gen(function* () {
        const { change, claim, find, store, work } = yield* newOrganization
        // Before the traces of every other test.
        const on = (day: number) => at(-1e12 + day * 86_400_000)
        const made = yield* Effect.forEach(
          [
            ["stored", 1],
            ["failed", 2],
            ["collecting", 1],
            ["stored", 3],
            ["closed", 0]
          ] as const,
          ([state, day], index) =>
            Effect.gen(function* () {
              const claimed = yield* claim([`${index}`])
              yield* store.addParts(claimed.trace.id, [part("s", 1)])
              return yield* change(claimed, { dueMillis: 5, trace: { state, lastSpanAt: on(day) } })
            })
        )
        const expire = (closed: number, deleted: number, limit = 100) =>
          work.atomically(store.expire({ closed: on(closed), deleted: on(deleted) }, limit))
        const states = Effect.forEach(made, (one) =>
          Effect.map(find(one), (found) => Option.getOrNull(Option.map(found, ({ trace }) => trace.state)))
        )
        expect(yield* expire(1, 0)).toBe(0)
        expect(yield* expire(3, 0, 1)).toBe(1)
        expect(yield* states).toEqual(["closed", "failed", "collecting", "stored", "closed"])
        expect(yield* expire(3, 0)).toBe(1)
        expect(yield* states).toEqual(["closed", "closed", "collecting", "stored", "closed"])
        const kept = yield* Effect.forEach(made, ({ trace }) => store.parts(trace.id, 9))
        expect(kept.map((parts) => parts.length)).toEqual([0, 0, 1, 1, 1])
        expect(Option.getOrThrow(yield* find(made[0])).dueMillis).toBeNull()
        // A late span finds the closed trace, so that it is rejected rather than made a call of its own.
        expect((yield* claim(["0"])).trace).toMatchObject({ id: made[0].trace.id, state: "closed" })
        expect(yield* expire(0, 3)).toBe(0)
        expect(yield* states).toEqual([null, null, null, "stored", null])
        expect((yield* claim(["0"])).trace.state).toBe("collecting")
      })
    )
  })
}
