import { client, dataOf, type Schemas } from "./client.js"

export type SuitePlan = Schemas["SuitePlan"]
export type Channel = SuitePlan["channel"]

/** A suite as it is typed or read from a file: JSON, YAML, or scenarios as CSV. */
export interface SuiteDraft {
  readonly spec: string
  readonly agent_id: number | null
  readonly channel: Channel
}

/** The plan of a run with its price. Creates nothing. */
export const planSuite = async (draft: SuiteDraft): Promise<SuitePlan> =>
  (await dataOf(client.POST("/test_framework/v2/scenarios/validate_scenarios_json/", { body: draft }))).plan

export const runSuite = (draft: SuiteDraft) =>
  dataOf(client.POST("/test_framework/v2/scenarios/run_scenarios_json/", { body: draft }))
