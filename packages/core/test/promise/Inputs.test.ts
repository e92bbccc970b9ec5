/** Typed inputs: `tsc` verifies every `@ts-expect-error`, and the tests what is validated at run time. */
import {
  type Calls,
  hostActor,
  type Input,
  type MetricDraft,
  OrganizationId,
  untrusted,
  ValidationFailed,
  type WidgetDraft
} from "@earshot/core"
import { createEngine, type PromiseEngine } from "@earshot/core/promise"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

describe("inputs of use cases", () => {
  let engine: PromiseEngine
  beforeAll(async () => {
    engine = await createEngine({ database: "sqlite::memory:", worker: false })
  })
  afterAll(() => engine.close())

  it("accept the interface's names, and ids as numbers", async () => {
    const { agent, organization, project } = await engine.organizations.create({ name: "Acme" })
    const actor = hostActor(organization.id)
    const transcript = [{ role: "Main Agent", content: "Hello.", start_time: 0.4, end_time: 1.2 }]
    const { created } = await engine.calls.ingest(
      { call_id: "1", agent: agent.id, transcript_json: transcript },
      { actor }
    )
    const dashboard = await engine.dashboards.create(
      { name: "Quality", project: project.id, filters: { field: "success", op: "eq", value: false } },
      { actor }
    )
    // A field that is undefined is one that is left out.
    const { next } = await engine.agents.list({ project: undefined, limit: 1 }, { actor })
    expect({ created, name: dashboard.name, next }).toEqual({ created: true, name: "Quality", next: null })
  })

  it("are validated at run time too, from a source that has no type", async () => {
    const { organization } = await engine.organizations.create({ name: "Acme" })
    const options = { actor: hostActor(organization.id) }
    const body: unknown = JSON.parse('{"call_id": 5, "agent": "one"}')
    const error: unknown = await engine.calls.ingest(untrusted(body), options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ValidationFailed)
    expect(error).toMatchObject({ errors: { call_id: expect.anything(), agent: expect.anything() } })
  })

  it("do not compile with an unknown field, another name or a wrong type", () => {
    const wrong = (calls: PromiseEngine, services: Calls["Type"]) => {
      const options = { actor: hostActor(OrganizationId.make(1)) }
      return [
        // @ts-expect-error -- the field is transcript_json
        calls.calls.ingest({ call_id: "1", agent: 1, transcripts: [] }, options),
        // @ts-expect-error -- the field is call_id
        calls.calls.ingest({ callId: "1", agent: 1 }, options),
        // @ts-expect-error -- a call_id is a text
        calls.calls.ingest({ call_id: 1, agent: 1 }, options),
        // @ts-expect-error -- an unknown channel
        calls.suites.validate({ spec: {}, channel: "fax" }, options),
        // @ts-expect-error -- an unknown field of a list
        calls.calls.list({ filter: null }, options),
        // @ts-expect-error -- an unknown field of an export
        calls.calls.export({ filter: null }, options),
        // @ts-expect-error -- an organization has a name
        calls.organizations.create({ title: "Acme" }),
        // @ts-expect-error -- a body without a type has to be marked by `untrusted`
        services.ingest(JSON.parse("{}") as unknown)
      ]
    }
    expect(wrong).toBeTypeOf("function")
    const metric = { agent: 1, name: "Offers a call-back", type: "llm_judge", eval_type: "binary" } as const
    const typed: Input<typeof MetricDraft> = metric
    // @ts-expect-error -- an unknown type of chart
    const widget: Input<typeof WidgetDraft> = { dashboard: 1, chart_type: "donut" }
    expect([typed, widget]).toHaveLength(2)
  })
})
