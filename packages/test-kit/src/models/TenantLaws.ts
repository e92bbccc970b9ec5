/** What one organisation sees of another: nothing. */
import * as fc from "fast-check"
import { type AsyncLaw, asyncLaw, expectSame } from "../Law.js"
import type { Door } from "./Doors.js"

/** Two organisations on one engine. */
export interface TwoTenants {
  readonly mine: Door
  readonly theirs: Door
  readonly project: number
  readonly agent: number
}

const CALLS = "/observability/v1/call-logs/"
const DASHBOARDS = "/dashboards/dashboards/"
const WIDGETS = "/dashboards/widgets/"
const EVALUATORS = "/test_framework/v1/scenarios/"
const FOLDERS = "/test_framework/v1/folders/"

const idOf = (body: unknown): number => {
  const id: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id") : undefined
  if (typeof id !== "number") throw new Error(`Nothing was made: ${JSON.stringify(body)}`)
  return id
}

const idsOf = (body: unknown): ReadonlyArray<number> => {
  const results: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "results") : undefined
  return Array.isArray(results) ? results.map(idOf) : []
}

type Thing = "call" | "dashboard" | "widget" | "evaluator" | "folder"

const paths: Readonly<Record<Thing, string>> = {
  call: CALLS,
  dashboard: DASHBOARDS,
  widget: WIDGETS,
  evaluator: EVALUATORS,
  folder: FOLDERS
}

/** What may be asked of one of a kind, and whether the kind is listed. */
const methods: Readonly<Record<Thing, ReadonlyArray<"GET" | "PATCH" | "DELETE" | "LIST">>> = {
  call: ["PATCH", "DELETE", "LIST"],
  dashboard: ["GET", "PATCH", "DELETE"],
  widget: ["PATCH", "DELETE"],
  evaluator: ["GET", "PATCH", "DELETE", "LIST"],
  folder: ["PATCH", "DELETE", "LIST"]
}

const make = async ({ agent, mine, project }: TwoTenants, thing: Thing): Promise<number> => {
  const ask = async (path: string, json: object) => idOf((await mine("POST", path, json)).body)
  switch (thing) {
    case "call":
      return ask("/observability/v1/observe/", { call_id: "secret", agent })
    case "dashboard":
      return ask(DASHBOARDS, { name: "Secret", project })
    case "widget":
      return ask(WIDGETS, { dashboard: await ask(DASHBOARDS, { name: "Secret", project }), chart_type: "stat" })
    case "evaluator":
      return ask(EVALUATORS, { agent, name: "Secret", scenario_type: "instruction", instructions: "Hi" })
    case "folder":
      return ask(FOLDERS, { project, path: "secret" })
  }
}

/** Each try asks for two new organisations. */
export const tenantLaws = (world: () => Promise<TwoTenants>): ReadonlyArray<AsyncLaw> => [
  asyncLaw(
    "what another organization has is missing, in lists too, whatever is asked of it",
    [fc.constantFrom<Thing>("call", "dashboard", "widget", "evaluator", "folder")],
    async (thing) => {
      const tenants = await world()
      const id = await make(tenants, thing)
      for (const method of methods[thing]) {
        if (method === "LIST") {
          const listed = idsOf((await tenants.theirs("GET", `${paths[thing]}?limit=200`)).body)
          if (listed.includes(id)) throw new Error(`Another organization's list shows ${thing} ${id}`)
          continue
        }
        const patch = method === "PATCH" ? (thing === "folder" ? { path: "mine" } : { name: "Mine" }) : undefined
        const { outcome } = await tenants.theirs(method, `${paths[thing]}${id}/`, patch)
        expectSame(`${method} of another organization's ${thing}`, outcome, "missing")
      }
      const { outcome } = await tenants.mine(
        "PATCH",
        `${paths[thing]}${id}/`,
        thing === "folder" ? { path: "still_there" } : {}
      )
      expectSame(`PATCH of one's own ${thing} afterwards`, outcome, "done")
      return true
    },
    15
  ),
  asyncLaw(
    "an id of another organization's is a fault of the field that names it",
    [
      fc.constantFrom(
        ["/observability/v1/observe/", "agent", { call_id: "x" }] as const,
        [DASHBOARDS, "project", { name: "x" }] as const,
        [EVALUATORS, "agent", { name: "x", scenario_type: "instruction", instructions: "x" }] as const,
        [FOLDERS, "project", { path: "x" }] as const
      )
    ],
    async ([path, field, fields]) => {
      const { agent, project, theirs } = await world()
      const { faults, outcome } = await theirs("POST", path, {
        ...fields,
        [field]: field === "agent" ? agent : project
      })
      expectSame(`POST ${path}`, [outcome, faults], ["refused", [field]])
      return true
    },
    8
  )
]
