/** What tests are made of: evaluators, folders, personalities, test profiles. */
import { type EarshotClient, type ItemOf, items, type ListPath, type QueryOf } from "@earshot/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { client, dataOf, type Schemas } from "./client.js"

export type Evaluator = Schemas["Evaluator"]
export type Personality = Schemas["Personality"]
export type TestProfile = Schemas["TestProfile"]
export type Folder = Schemas["Folder"]

/** The most that a page offers to choose from. */
const MAX_CHOICES = 2_000

const all = async <Path extends ListPath>(
  of: EarshotClient,
  path: Path,
  query: QueryOf<Path>,
  signal: AbortSignal
): Promise<ReadonlyArray<ItemOf<Path>>> => {
  const found: Array<ItemOf<Path>> = []
  for await (const item of items(of, path, { query, signal })) {
    found.push(item)
    if (found.length === MAX_CHOICES) break
  }
  return found
}

const limit = 200

/** Which evaluators: those of a project, a folder (blank for none) and with a text. */
export interface EvaluatorSelection {
  readonly project?: number
  readonly folder?: string
  readonly search?: string
}

const firstCursor = (): string | null => null

export const evaluatorsQuery = ({ folder, project, search }: EvaluatorSelection) =>
  infiniteQueryOptions({
    queryKey: ["evaluators", project, folder, search],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET("/test_framework/v1/scenarios/", {
          params: {
            query: {
              limit: 100,
              ...(project === undefined ? {} : { project }),
              ...(folder === undefined ? {} : { folder_path: folder }),
              ...(search === undefined ? {} : { search }),
              ...(pageParam === null ? {} : { cursor: pageParam })
            }
          },
          signal
        })
      ),
    initialPageParam: firstCursor(),
    getNextPageParam: ({ next }) => next
  })

export const evaluatorQuery = (id: number) =>
  queryOptions({
    queryKey: ["evaluator", id],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/test_framework/v1/scenarios/{id}/", { params: { path: { id } }, signal }))
  })

export const foldersQuery = (project: number | undefined) =>
  queryOptions({
    queryKey: ["folders", project],
    enabled: project !== undefined,
    queryFn: async ({ signal }) =>
      (await all(client, "/test_framework/v1/folders/", { limit, project: project ?? 0 }, signal)).toSorted(
        (one, other) => one.path.localeCompare(other.path, "en")
      )
  })

/** Personalities, all of them or those that a project can use. */
export const personalitiesQuery = (enabledIn?: number) =>
  queryOptions({
    queryKey: ["personalities", enabledIn],
    queryFn: ({ signal }) =>
      all(
        client,
        "/test_framework/v1/personalities/",
        { limit, ...(enabledIn === undefined ? {} : { enabled_in: enabledIn }) },
        signal
      )
  })

export const profilesQuery = (project: number | undefined) =>
  queryOptions({
    queryKey: ["profiles", project],
    enabled: project !== undefined,
    queryFn: ({ signal }) => all(client, "/test_framework/v1/test_profiles/", { limit, project: project ?? 0 }, signal)
  })

export const toolsQuery = (project: number | undefined) =>
  queryOptions({
    queryKey: ["tools", project],
    enabled: project !== undefined,
    queryFn: ({ signal }) => all(client, "/test_framework/v1/tools/", { limit, project: project ?? 0 }, signal)
  })

export const simulationMetricsQuery = (agent: number | undefined) =>
  queryOptions({
    queryKey: ["agent metrics", agent],
    enabled: agent !== undefined,
    queryFn: ({ signal }) => all(client, "/test_framework/v1/metrics/", { limit, agent_id: agent ?? 0 }, signal)
  })
