/** Saved views of the list of calls: a selection and its columns under a name. */
import { type FilterTree, readFilter } from "./filter.js"

export interface View {
  readonly name: string
  readonly filter?: FilterTree
  readonly agent?: number
  readonly columns: ReadonlyArray<string>
}

/** How many views are kept. */
export const MAX_VIEWS = 50

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const readView = (value: unknown): View | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { agent, columns, filter, name }: Readonly<Record<string, unknown>> = { ...value }
  const read = readFilter(filter ?? null)
  if (typeof name !== "string" || name.trim() === "" || !isTexts(columns) || read === undefined) return undefined
  return {
    name,
    columns,
    ...(read === null ? {} : { filter: read }),
    ...(typeof agent === "number" ? { agent } : {})
  }
}

/** What was stored as views, without what is none. */
export const readViews = (value: unknown): ReadonlyArray<View> | undefined =>
  Array.isArray(value) ? value.flatMap((one) => readView(one) ?? []).slice(0, MAX_VIEWS) : undefined

/** With a view, which takes the place of one of the same name; the oldest is dropped beyond `MAX_VIEWS`. */
export const withView = (views: ReadonlyArray<View>, view: View): ReadonlyArray<View> =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-MAX_VIEWS)

export const withoutView = (views: ReadonlyArray<View>, name: string): ReadonlyArray<View> =>
  views.filter((view) => view.name !== name)
