/** What the promise API returns: the names and forms of the HTTP API. `tsc` verifies the types. */
import { hostActor, operations } from "@earshot/core"
import { createEngine, type PromiseEngine } from "@earshot/core/promise"
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"

/** Every name in a value, at any depth; what a caller stored under a name of its own is not looked at. */
const namesIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === "metadata" ? [name] : [name, ...namesIn(inner)]))
}

/** A record that JSON keeps as it is: no class, no Date, nothing undefined. */
const expectPlain = (record: unknown) => {
  expect(JSON.parse(JSON.stringify(record))).toStrictEqual(record)
  expect(namesIn(record).filter((name) => !/^[a-z0-9_]+$/.test(name))).toEqual([])
}

/** The use cases of an engine whose promise is of `never`: their encoder is of another result. */
type Unencoded<Engine> = {
  [Service in keyof Engine]: {
    [Name in keyof Engine[Service]]: Engine[Service][Name] extends (...args: never) => Promise<infer A>
      ? [A] extends [never]
        ? `${Service & string}.${Name & string}`
        : never
      : never
  }[keyof Engine[Service]]
}[keyof Engine]

describe("records of the promise API", () => {
  let engine: PromiseEngine
  beforeAll(async () => {
    engine = await createEngine({ database: "sqlite::memory:", worker: false })
  })
  afterAll(() => engine.close())

  it("have the names of the inputs, plain ids and texts as instants", async () => {
    const founded = await engine.organizations.create({ name: "Acme" })
    expectPlain(founded)
    expect(founded.api_key.api_key).toMatch(/^ear_/)
    const { agent, organization, project } = founded
    const actor = hostActor(organization.id)
    const ingested = await engine.calls.ingest(
      {
        call_id: "one",
        agent: agent.id,
        timestamp: "2026-03-01T10:00:00Z",
        metadata: { aName: 1 },
        transcript_json: [{ role: "Main Agent", content: "Hello.", start_time: 0, end_time: 61 }]
      },
      { actor }
    )
    expectPlain(ingested)
    expect(ingested).toMatchObject({ created: true, call: { call_id: "one", duration: "01:01" } })
    const { call } = ingested
    expect(await engine.calls.read(call.id, undefined, { actor })).toStrictEqual(call)
    expect(await engine.calls.read(call.id, { expand: "metadata" }, { actor })).toStrictEqual({
      ...call,
      metadata: { aName: 1 }
    })

    const listed = await engine.calls.list({ expand: "transcript,metadata" }, { actor })
    expectPlain(listed)
    expect(listed).toMatchObject({ next: null, results: [{ call_id: "one", metadata: { aName: 1 } }] })
    expect(listed.results[0]).toHaveProperty("transcript", call.transcript)
    expect((await engine.calls.list({}, { actor })).results[0]).not.toHaveProperty("transcript")
    for await (const one of engine.calls.export({ expand: "metadata" }, { actor })) {
      expect(one).toStrictEqual({ ...call, metadata: { aName: 1 } })
    }

    const dashboard = await engine.dashboards.create({ name: "Calls", project: project.id }, { actor })
    const widget = await engine.widgets.create({ dashboard: dashboard.id, chart_type: "stat" }, { actor })
    const records = [
      dashboard,
      widget,
      await engine.widgets.data(widget.id, { actor }),
      await engine.dashboards.data(dashboard.id, { actor }),
      await engine.agents.read(agent.id, { actor }),
      await engine.projects.list({}, { actor }),
      await engine.metrics.list({ agent_id: agent.id }, { actor }),
      await engine.metrics.predefined({ actor }),
      await engine.personalities.enable(project.id, { personalities: "all" }, { actor }),
      await engine.evaluations.evaluate(call.id, {}, { actor }),
      await engine.jobs.list({}, { actor }),
      await engine.results.capacity({ actor }),
      await engine.apiKeys.create({ name: "Key" }, { actor }),
      await engine.apiKeys.list({}, { actor })
    ]
    records.forEach(expectPlain)
    // What is returned is accepted: a record's id by other functions, its fields by an update.
    const { agent_name } = await engine.agents.update(agent.id, { name: "Reception" }, { actor })
    expect(agent_name).toBe("Reception")
    await engine.calls.delete(call.id, { actor })
    expect((await engine.calls.list({}, { actor })).results).toEqual([])
  })

  it("export the runs of a result as they are read one by one", async () => {
    const { agent, organization } = await engine.organizations.create({ name: "Runs" })
    const actor = hostActor(organization.id)
    const scenarios = ["a", "b", "c"].map((key) => ({ key, name: key, type: "instruction", instructions: "Ask." }))
    const spec = { version: "1", suite: { name: "Suite" }, scenarios }
    const result = await engine.suites.run({ spec, agent_id: agent.id, channel: "voice" }, { actor })
    expectPlain(result)
    const [claimed] = await engine.results.claim({ channel: "voice", limit: 1 }, { actor })
    expectPlain(claimed)
    const held = { lease: claimed!.lease }
    expectPlain(await engine.results.heartbeat(claimed!.run.id, held, { actor }))
    const failed = await engine.results.fail(claimed!.run.id, { ...held, error: "No answer" }, { actor })
    expect(failed).toMatchObject({ id: claimed!.run.id, status: "failed" })
    const runs = []
    for await (const run of engine.results.export(result.id, { actor })) runs.push(run)
    expect(runs).toHaveLength(3)
    for (const run of runs) expect(run).toStrictEqual(await engine.results.readRun(run.id, { actor }))
    const listed = await engine.results.listRuns({ result: result.id }, { actor })
    expect(listed.results.map(({ id }) => id)).toEqual(runs.map(({ id }) => id).reverse())
  })

  it("are of every operation, and typed", () => {
    expectTypeOf<Unencoded<PromiseEngine>>().toEqualTypeOf<never>()
    const offered = Object.values(engine).flatMap((service: unknown) =>
      typeof service === "object" && service !== null ? Object.keys(service) : []
    )
    // Two use cases of an operation (a recording of a call, and of a run) count twice.
    expect(offered.length).toBeGreaterThanOrEqual(Object.keys(operations).length)
    expectTypeOf<Awaited<ReturnType<PromiseEngine["projects"]["read"]>>["created_at"]>().toEqualTypeOf<string>()
  })

  it("reject what is no id, with and without a promise of a record", async () => {
    const { organization } = await engine.organizations.create({ name: "Ids" })
    const options = { actor: hostActor(organization.id) }
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      const wrong = new TypeError("An id is a positive integer.")
      await expect(engine.projects.read(id, options)).rejects.toThrow(wrong)
      await expect(engine.recordings.open(id, options)).rejects.toThrow(wrong)
      await expect(engine.recordings.openRun(id, options)).rejects.toThrow(wrong)
      const exported = async () => {
        for await (const run of engine.results.export(id, options)) expect(run).toBeUndefined()
      }
      await expect(exported()).rejects.toThrow(wrong)
    }
  })
})
