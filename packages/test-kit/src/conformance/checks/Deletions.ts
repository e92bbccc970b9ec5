/** What remains of things that are deleted: nothing at any operation on them, and no reference. */
import { type Fixture, PATHS, suiteOf } from "../Fixture.js"
import { type DocumentedOperation, documentedOperations } from "../Document.js"
import {
  bodyOf,
  expectDetail,
  expectEqual,
  expectFieldErrorWithin,
  expectNoBody,
  expectStatus,
  expectTrue,
  Skipped
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"

type Body = Readonly<Record<string, unknown>>

/** How a thing is made, by the list that it is in: the path and the body of its request. */
const makers: Readonly<Record<string, (fixture: Fixture) => Promise<readonly [path: string, body: Body]>>> = {
  [PATHS.projects]: async () => [PATHS.projects, { name: "Deleted" }],
  [PATHS.agents]: async (fixture) => [PATHS.agents, { project: await fixture.project(), name: "Deleted" }],
  [PATHS.evaluators]: async (fixture) => [
    PATHS.evaluators,
    { agent: await fixture.agent(), name: "Deleted", scenario_type: "instruction", instructions: "Say hello." }
  ],
  [PATHS.metrics]: async (fixture) => [
    PATHS.metrics,
    { agent: await fixture.agent(), name: "Deleted", type: "llm_judge", eval_type: "binary", prompt: "Is it so?" }
  ],
  [PATHS.personalities]: async (fixture) => [
    PATHS.personalities,
    { project: await fixture.project(), name: "Deleted", language: "en" }
  ],
  [PATHS.profiles]: async (fixture) => [PATHS.profiles, { project: await fixture.project(), name: "Deleted" }],
  [PATHS.tools]: async (fixture) => [
    PATHS.tools,
    { project: await fixture.project(), name: `deleted_${fixture.callId()}` }
  ],
  [PATHS.numbers]: async (fixture) => [
    PATHS.numbers,
    // Other checks have numbers that begin with +1555; callId ends with a counter.
    { project: await fixture.project(), number: `+1666000${fixture.callId().split("-").at(-1) ?? ""}` }
  ],
  [PATHS.folders]: async (fixture) => [
    PATHS.folders,
    { project: await fixture.project(), path: `deleted_${fixture.run}` }
  ],
  [PATHS.dashboards]: async (fixture) => [PATHS.dashboards, { project: await fixture.project(), name: "Deleted" }],
  [PATHS.widgets]: async (fixture) => [PATHS.widgets, { dashboard: await fixture.dashboard(), chart_type: "stat" }],
  [PATHS.calls]: async (fixture) => [PATHS.observe, { agent: await fixture.agent(), call_id: fixture.callId() }],
  [PATHS.results]: async (fixture) => [PATHS.run, { agent_id: await fixture.agent(), spec: suiteOf(1) }],
  [PATHS.keys]: async () => [PATHS.keys, { name: "Deleted" }],
  [PATHS.links]: async (fixture) => [
    PATHS.links,
    { name: "Deleted", bounds: [{ type: "project", id: await fixture.project() }] }
  ],
  [PATHS.integrations]: async (fixture) => [
    PATHS.integrations,
    { platform: "retell", agent: await fixture.agent(), secret: "key_of_the_conformance_checks" }
  ],
  [PATHS.connections]: async () => [
    PATHS.connections,
    { host: "gitlab", name: "Deleted", settings: { namespace: "conformance" }, secret: "glpat-conformance" }
  ]
}

/** Lists that keep what was revoked, which can be revoked again. */
const REVOKED: ReadonlySet<string> = new Set([PATHS.keys, PATHS.links, PATHS.connections])

/** The lists of things that the checks can make and delete. */
export const deletable: ReadonlyArray<string> = Object.keys(makers)

/** How a thing is deleted: results only several at a time. */
const remove = (fixture: Fixture, list: string, id: string) =>
  list === PATHS.results
    ? fixture.post(PATHS.bulkDelete, { result_ids: [Number(id)] })
    : fixture.ask("DELETE", `${list}${id}/`)

const without = async (
  fixture: Fixture,
  list: string,
  operations: ReadonlyArray<DocumentedOperation>
): Promise<void> => {
  const [path, body] = (await makers[list]?.(fixture)) ?? ["", {}]
  const made = await fixture.post(path, body)
  // A server without a key to encrypt secrets with, or without code hosts, makes no such thing.
  if ([400, 404, 405].includes(made.status) && (list === PATHS.integrations || list === PATHS.connections)) return
  const id = String(bodyOf(made, 200, 201).id)
  // Results are deleted below, several at a time only.
  if (list !== PATHS.results) fixture.deleteAtEnd(`${list}${id}/`)
  const ids = async () =>
    listAt(bodyOf(await fixture.get(`${list}?limit=200`), 200), "results").map((one) => at(one, "id"))
  expectTrue(`${list}${id}/ is not in its list`, (await ids()).includes(Number(id)))
  expectNoBody(await remove(fixture, list, id), 204)
  if (REVOKED.has(list)) return
  expectTrue(`${list}${id}/ is in its list after its deletion`, !(await ids()).includes(Number(id)))
  for (const { hasBody, hasInput, method, template } of operations) {
    if (!template.startsWith(`${list}{id}/`)) continue
    const reply = await fixture.ask(method, template.replace("{id}", id), hasBody ? { json: {} } : {})
    if (hasInput) expectStatus(reply, 404, 400)
    else expectDetail(reply, 404)
  }
}

/** What an evaluator refers to, and the field that it does so by. */
const references: ReadonlyArray<readonly [list: string, field: string, of: (id: number) => unknown, none: unknown]> = [
  [PATHS.personalities, "personality", (id) => id, null],
  [PATHS.profiles, "test_profile", (id) => id, null],
  [PATHS.numbers, "inbound_phone_number", (id) => id, null],
  [PATHS.tools, "tool_ids", (id) => [id], []],
  [PATHS.metrics, "metrics", (id) => [id], []]
]

export const deletions = checksOf("deletions", {
  gone: [
    "a deleted thing is in no list, and every operation on it that the document has answers 404",
    async (fixture) => {
      const operations = await documentedOperations(fixture)
      for (const list of deletable)
        if (operations.some(({ template }) => template.startsWith(`${list}{id}/`)))
          await without(fixture, list, operations)
    }
  ],
  references: [
    "a deletion clears what evaluators refer to it by, and no evaluator can be made or changed to refer to it",
    async (fixture) => {
      const agent = await fixture.agent()
      for (const [list, field, of, none] of references) {
        const [path, body] = (await makers[list]?.(fixture)) ?? ["", {}]
        const id = await fixture.makeId(path, body)
        if (list === PATHS.personalities) {
          const enable = `${PATHS.projects}${await fixture.project()}/enable_personalities/`
          expectStatus(await fixture.post(enable, { personalities: [id] }), 200)
        }
        const draft = {
          agent,
          name: "Refers",
          scenario_type: "instruction",
          instructions: "Say hello.",
          [field]: of(id)
        }
        const made = await fixture.post(PATHS.evaluators, draft)
        if (made.status === 404 || made.status === 405) throw new Skipped(`the server has no ${PATHS.evaluators}`)
        const evaluator = `${PATHS.evaluators}${String(bodyOf(made, 201).id)}/`
        fixture.deleteAtEnd(evaluator)
        expectEqual(`${field} of the evaluator`, bodyOf(await fixture.get(evaluator), 200)[field], of(id))
        expectNoBody(await remove(fixture, list, String(id)), 204)
        expectEqual(`${field} after the deletion`, bodyOf(await fixture.get(evaluator), 200)[field], none)
        expectFieldErrorWithin(await fixture.post(PATHS.evaluators, draft), field)
        expectFieldErrorWithin(await fixture.patch(evaluator, { [field]: of(id) }), field)
        expectEqual(`${field} after a rejected change`, bodyOf(await fixture.get(evaluator), 200)[field], none)
      }
    }
  ],
  contained: [
    "with a project or an agent everything in it is gone, and a delivery of a call to it is rejected",
    async (fixture) => {
      for (const owner of ["agent", "project"] as const) {
        const { agent, project } = await fixture.otherProject()
        const inside = [
          `${PATHS.evaluators}${await fixture.evaluator({ agent })}/`,
          ...(owner === "agent" ? [] : [`${PATHS.dashboards}${await fixture.dashboard({ project })}/`])
        ]
        const path = owner === "agent" ? `${PATHS.agents}${agent}/` : `${PATHS.projects}${project}/`
        for (const one of inside) expectStatus(await fixture.get(one), 200)
        expectNoBody(await fixture.ask("DELETE", path), 204)
        for (const one of [path, ...inside]) expectDetail(await fixture.get(one), 404)
        expectFieldErrorWithin(await fixture.post(PATHS.observe, { call_id: fixture.callId(), agent }), "agent")
      }
    }
  ]
})
