/** Lists, page by page or item by item. */
import type { EarshotClient } from "./Client.js"
import { EarshotError } from "./Errors.js"
import type { paths } from "./schema.js"

interface PageOf<Item> {
  readonly next: string | null
  readonly previous: string | null
  readonly results: ReadonlyArray<Item>
}

/** What a GET of the path returns with 200, as JSON. */
type Returned<Path extends keyof paths> = paths[Path] extends {
  readonly get: { readonly responses: { readonly 200: { content: { readonly "application/json": infer Body } } } }
}
  ? Body
  : never

/** The paths whose GET returns pages. */
export type ListPath = {
  [Path in keyof paths]: Returned<Path> extends PageOf<unknown> ? Path : never
}[keyof paths]

/** An item of the list at the path. */
export type ItemOf<Path extends ListPath> = Returned<Path> extends PageOf<infer Item> ? Item : never

/** The query parameters of the list at the path: its filters, `limit`, and the `cursor` to start at. */
export type QueryOf<Path extends ListPath> = paths[Path] extends {
  readonly get: { readonly parameters: { readonly query?: infer Query } }
}
  ? NonNullable<Query>
  : never

export interface ListOptions<Path extends ListPath> {
  readonly query?: QueryOf<Path>
  readonly signal?: AbortSignal
}

/**
 * The pages of a list, read one at a time as they are asked for.
 *
 *     for await (const { results } of pages(client, "/observability/v1/call-logs/", { query: { limit: 200 } })) { ... }
 *
 * Throws an {@link EarshotError} for every status other than 200.
 */
export async function* pages<Path extends ListPath>(
  client: EarshotClient,
  path: Path,
  { query, signal }: ListOptions<Path> = {}
): AsyncGenerator<PageOf<ItemOf<Path>>, void, undefined> {
  let parameters: Readonly<Record<string, unknown>> = { ...query }
  while (true) {
    const page = await readPage<Path>(client, path, parameters, signal)
    yield page
    if (page.next === null) return
    parameters = { ...parameters, cursor: page.next }
  }
}

/**
 * The items of a list, over all of its pages.
 *
 *     for await (const agent of items(client, "/test_framework/v1/agents/")) console.log(agent.name)
 */
export async function* items<Path extends ListPath>(
  client: EarshotClient,
  path: Path,
  options: ListOptions<Path> = {}
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  for await (const { results } of pages(client, path, options)) yield* results
}

/** The types of a request depend on a path that is not known here; `ListPath` has checked that it returns pages. */
const readPage = async <Path extends ListPath>(
  client: EarshotClient,
  path: Path,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined
): Promise<PageOf<ItemOf<Path>>> => {
  // eslint-disable-next-line typescript/consistent-type-assertions -- the request of a path that is not known here has no type
  const get = client.GET as unknown as (
    path: string,
    init: object
  ) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>
  const { data, error, response } = await get(path, {
    params: { query },
    ...(signal === undefined ? {} : { signal })
  })
  if (!response.ok) throw new EarshotError(response, error)
  // eslint-disable-next-line typescript/consistent-type-assertions -- `ListPath` has checked that a 200 of this path is a page
  return data as PageOf<ItemOf<Path>>
}
