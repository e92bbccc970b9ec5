import { encodeLedgerTotals, Ledger } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fixture, quiet } from "../calls/evaluations.js"

for (const database of TestEngine.databases) {
  layer(Layer.merge(TestEngine.layer(database), quiet))(`the ledger on ${database}`, (it) => {
    it.effect("sums up what its list shows, for the same filter", () =>
      Effect.gen(function* () {
        const { agent, as, ingest, project } = yield* fixture
        const ledger = yield* Ledger
        const first = yield* ingest({ redact_fields: ["ssn"] })
        yield* ingest({ redact_fields: ["ssn", "person_name"] })
        const totals = (query: Parameters<typeof ledger.totals>[0]) =>
          Effect.map(as(ledger.totals(query)), encodeLedgerTotals)
        // 12 seconds each, for 0.4 credits a minute.
        expect(yield* totals({})).toEqual({
          entries: 2,
          amount: "0.160000",
          by_reason: [{ reason: "redaction", entries: 2, amount: "0.160000" }]
        })
        expect((yield* totals({ call: first.id })).amount).toBe("0.080000")
        expect((yield* as(ledger.list({ call: first.id }))).results).toMatchObject([{ callId: first.id }])
        expect((yield* totals({ agent: agent.id, project: project.id })).entries).toBe(2)
        const none = { entries: 0, amount: "0.000000", by_reason: [] }
        expect(yield* totals({ reason: "metric_evaluation" })).toEqual(none)
        // What is charged at the start of a period is in it, at its end is not.
        const [moment, later] = ["2026-03-31T00:00:00Z", "2026-04-01T00:00:00Z"]
        expect((yield* totals({ since: moment, until: later })).entries).toBe(2)
        expect(yield* totals({ since: later })).toEqual(none)
        expect(yield* totals({ until: moment })).toEqual(none)
      })
    )

    it.effect("refuses what is no filter, with every error", () =>
      Effect.gen(function* () {
        const { as } = yield* fixture
        const ledger = yield* Ledger
        const query = { agent: 0, since: "yesterday" }
        for (const rejected of [Effect.asVoid(as(ledger.list(query))), Effect.asVoid(as(ledger.totals(query)))]) {
          expect(yield* Effect.flip(rejected)).toMatchObject({
            errors: { agent: [expect.any(String)], since: [expect.any(String)] }
          })
        }
        const backwards = { since: "2026-04-01T00:00:00Z", until: "2026-03-31T00:00:00Z" }
        expect(yield* Effect.flip(as(ledger.totals(backwards)))).toMatchObject({
          errors: { until: ["Enter a time after `since`."] }
        })
      })
    )

    it.effect("shows nothing of another organization", () =>
      Effect.gen(function* () {
        const { ingest } = yield* fixture
        const other = yield* TestEngine.fixture
        const ledger = yield* Ledger
        const call = yield* ingest({ redact_fields: ["ssn"] })
        expect(yield* ledger.totals({ call: call.id }).pipe(TestEngine.as(other.actor))).toEqual([])
      })
    )
  })
}
