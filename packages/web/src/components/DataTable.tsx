/** A table of things with their columns, and more of them on request. */
import type { ReactNode } from "react"

export interface Column<A> {
  readonly name: string
  readonly of: (row: A) => ReactNode
  readonly className?: string
}

export const DataTable = <A extends { readonly id: number }>({
  label,
  rows,
  columns,
  actions,
  more
}: {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly columns: ReadonlyArray<Column<A>>
  /** The last cell of a row. */
  readonly actions?: (row: A) => ReactNode
  /** The query that the rows are of, if it has further pages. */
  readonly more?: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}) => (
  <>
    <div className="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map(({ className, name }) => (
              <th key={name} className={className === "number" ? className : undefined}>
                {name}
              </th>
            ))}
            {actions === undefined ? null : (
              <th>
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ className, name, of }) => (
                <td key={name} className={className}>
                  {of(row)}
                </td>
              ))}
              {actions === undefined ? null : <td className="actions">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {more?.hasNextPage === true ? (
      <div className="pad">
        <button
          type="button"
          className="button small"
          disabled={more.isFetchingNextPage}
          onClick={() => void more.fetchNextPage()}
        >
          {more.isFetchingNextPage ? "Loading…" : "Load more"}
        </button>
      </div>
    ) : null}
  </>
)
