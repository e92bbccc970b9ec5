/** What the pages of tests have in common: their tabs, and the project whose tests they show. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { projectsQuery } from "../api/dashboards.js"

const TABS = [
  ["/evaluators", "Evaluators"],
  ["/personalities", "Personalities"],
  ["/profiles", "Test profiles"]
] as const

type TestPath = (typeof TABS)[number][0]

export const TestsHead = ({ path, children }: { readonly path: TestPath; readonly children?: ReactNode }) => (
  <>
    <div className="page-head">
      <h1>{TABS.find(([one]) => one === path)?.[1]}</h1>
      <div className="end">{children}</div>
    </div>
    <nav className="tabs settings-tabs" aria-label="Tests">
      {TABS.map(([one, name]) => (
        <Link
          key={one}
          to={one}
          search={{}}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {name}
        </Link>
      ))}
    </nav>
  </>
)

/** The project of the address, or else the first one. */
export const useProject = (asked: number | undefined) => {
  const query = useQuery(projectsQuery)
  return { query, chosen: asked ?? query.data?.[0]?.id }
}

/** The choice of a project, where there is one. */
export const ProjectSelect = ({
  project: { chosen, query },
  onChange
}: {
  readonly project: ReturnType<typeof useProject>
  readonly onChange: (project: number) => void
}) =>
  (query.data?.length ?? 0) < 2 ? null : (
    <select
      className="input speed"
      aria-label="Project"
      value={chosen ?? ""}
      onChange={(event) => {
        onChange(Number(event.target.value))
      }}
    >
      {query.data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )

/** The last cell of a row: what can be done with its item. What a session may not do is left out. */
export const RowActions = <A extends { readonly id: number; readonly name: string }>({
  of,
  consequence,
  onEdit,
  onDelete
}: {
  readonly of: A
  /** What deleting the item does to others. */
  readonly consequence: string
  readonly onEdit?: ((item: A) => void) | undefined
  readonly onDelete: ((id: number) => void) | undefined
}) => (
  <>
    {onEdit === undefined ? null : (
      <button
        type="button"
        className="button small"
        aria-label={`Edit ${of.name}`}
        onClick={() => {
          onEdit(of)
        }}
      >
        Edit
      </button>
    )}
    {onDelete === undefined ? null : (
      <button
        type="button"
        className="button small danger"
        aria-label={`Delete ${of.name}`}
        onClick={() => {
          if (confirm(`Delete "${of.name}"? ${consequence}`.trim())) onDelete(of.id)
        }}
      >
        Delete
      </button>
    )}
  </>
)
