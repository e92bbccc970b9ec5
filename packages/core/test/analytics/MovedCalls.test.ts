import { Dashboards, Metrics, untrusted, Widgets } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { ingest, turns } from "../calls/ingest.js"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`evaluations on ${database}`, (it) => {
    it.effect("move in charts over time with their call, whose time a redelivery states", () =>
      Effect.gen(function* () {
        const { actor, agent, project } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const metric = yield* Effect.flatMap(Metrics, (metrics) =>
          metrics.create(
            untrusted({ agent: agent.id, name: "Seven", type: "custom_code", eval_type: "numeric", custom_code: "7" })
          )
        ).pipe(as)
        const dashboard = yield* Effect.flatMap(Dashboards, (all) =>
          all.create({ name: "Moved", project: project.id })
        ).pipe(as)
        const { call } = yield* ingest(actor, { call_id: "a", agent: agent.id, transcript_json: turns })
        const sql = yield* SqlClient
        yield* sql`DELETE FROM metric_evaluations WHERE call_id = ${call.id}`
        yield* sql`INSERT INTO metric_evaluations ${sql.insert({
          call_id: call.id,
          metric_id: metric.id,
          value_kind: "number",
          value_number: 7,
          created_ms: 0,
          timestamp_ms: DateTime.toEpochMillis(call.timestamp)
        })}`
        const widgets = yield* Widgets
        const shown = (filters: object | null) =>
          Effect.map(
            widgets.preview(
              untrusted({
                dashboard: dashboard.id,
                chart_type: "line",
                field: "metric_evaluations.value",
                metric: metric.id,
                group_by: { type: "bucket", interval: 86_400_000 },
                filters
              })
            ),
            (data) =>
              data.chartType !== "line"
                ? []
                : data.series.flatMap(({ points }) =>
                    points.map(({ timestamp, value }) => [DateTime.formatIsoDateUtc(timestamp), value])
                  )
          ).pipe(as)
        expect(yield* shown(null)).toEqual([[DateTime.formatIsoDateUtc(call.timestamp), 7]])
        yield* ingest(actor, { call_id: "a", agent: agent.id, timestamp: "2020-02-29T10:00:00Z" })
        expect(yield* shown(null)).toEqual([["2020-02-29", 7]])
        const since = (value: string) => ({ field: "timestamp", op: "gte", value })
        expect(yield* shown(since("2020-02-29T10:00:00Z"))).toEqual([["2020-02-29", 7]])
        expect(yield* shown(since("2020-02-29T10:00:01Z"))).toEqual([])
      })
    )
  })
}
