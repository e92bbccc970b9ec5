import {
  type AgentStore,
  type NewResult,
  type OrganizationStore,
  PhoneNumberStore,
  type ProjectStore,
  type ResultId,
  ResultStore,
  type RunId,
  type RunStatus
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { organizationWithAgent } from "../catalog/NewAgent.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

export const noCapacityUsed = { activeSessions: 0, pendingDemand: 0, slotsInUse: 0, phoneNumbersHeld: [] }

export const ended = (to: RunStatus, success: boolean | null = null) => ({
  to,
  success,
  durationSeconds: null,
  error: null,
  transcript: null
})

/** An organization with an agent and two phone numbers, and operations on it. */
export const newOrganization = Effect.gen(function* () {
  const store = yield* ResultStore
  const { agent, id, project, toCreate: toCatalog } = yield* organizationWithAgent
  const phoneNumbers = yield* PhoneNumberStore
  const [one, two] = yield* Effect.all([
    phoneNumbers.insert(toCatalog, { projectId: project.id, number: "+15550100", name: "" }, at(0)),
    phoneNumbers.insert(toCatalog, { projectId: project.id, number: "+15550101", name: "" }, at(0))
  ])
  const plain: NewResult = {
    projectId: project.id,
    agentId: agent.id,
    name: "R",
    channel: "voice",
    concurrencyLimit: null,
    providerData: null,
    phoneNumberId: null,
    isExecuted: false,
    scenarios: [
      { key: "a", name: "A", frequency: 2, script: { says: "a" } },
      { key: "b", name: "B", frequency: 1, script: { says: "b" } }
    ]
  }
  const toRead = permit(id, "results.list")
  const toWrite = permit(id, "suites.run")
  const toDelete = permit(id, "results.bulkDelete")
  const insert = (what: Partial<NewResult> = {}) =>
    Effect.zipRight(store.lockCapacity(toWrite), store.insert(toWrite, { ...plain, ...what }, at(1)))
  /** The ids of a result's runs, oldest first. */
  const runsOf = (resultId: ResultId) =>
    Effect.map(
      store.listRuns(toRead, { resultId, status: null }, { cursor: { at: "start" }, limit: 200 }),
      ({ rows: runs }) => runs.map((run) => run.id).toReversed()
    )
  const startable = (limit: number) => store.startable(toWrite, "voice", limit)
  const start = (runs: ReadonlyArray<RunId>, until = 60_000) =>
    store.start(toWrite, runs, { token: "lease", until }, at(2))
  const bounded = (type: "result" | "project", to: number) => permit(id, "results.list", [{ type, id: to }])
  return {
    agent,
    bounded,
    insert,
    numbers: [one.id, two.id] as const,
    organization: id,
    project,
    runsOf,
    start,
    startable,
    toDelete,
    toRead,
    toWrite
  }
})

export type Stores = ResultStore | PhoneNumberStore | AgentStore | ProjectStore | OrganizationStore
