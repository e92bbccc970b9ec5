/** Counts of values within the filter: a click adds the value to the filter, another one removes it. */
import { useQuery } from "@tanstack/react-query"
import { type CallSelection, facetsQuery } from "../api/calls.js"
import type { Facet } from "../api/client.js"
import { conditionOf, hasCondition, toggled } from "../rules/facets.js"
import { fieldName, type FilterTree } from "../rules/filter.js"
import { number } from "../rules/format.js"
import { Loaded } from "./Feedback.js"

const valueName = (value: string | number | boolean | null): string =>
  value === null
    ? "(none)"
    : value === ""
      ? "(empty)"
      : typeof value === "boolean"
        ? value
          ? "yes"
          : "no"
        : String(value)

const FacetValues = ({
  facet: { field, missing, other, values },
  total,
  filter,
  onChange
}: {
  readonly facet: Facet
  readonly total: number
  readonly filter: FilterTree
  readonly onChange: (filter: FilterTree) => void
}) => {
  const all = missing === 0 ? values : [...values, { value: null, count: missing }]
  return (
    <section aria-label={fieldName(field)}>
      <h2 className="truncate plain" title={field}>
        {fieldName(field)}
      </h2>
      <ul>
        {all.map(({ count, value }) => {
          const condition = conditionOf(field, value)
          return (
            <li key={JSON.stringify(value)}>
              <button
                type="button"
                className="facet"
                aria-pressed={hasCondition(filter, condition)}
                onClick={() => {
                  onChange(toggled(filter, condition))
                }}
              >
                <progress className="facet-share" value={count} max={Math.max(1, total)} aria-hidden="true" />
                <span className={`truncate plain grow${value === null || value === "" ? " muted" : ""}`}>
                  {valueName(value)}
                </span>
                <span className="number">{number(count)}</span>
              </button>
            </li>
          )
        })}
        {other === 0 ? null : (
          <li className="facet muted">
            <span className="grow">other values</span>
            <span className="number">{number(other)}</span>
          </li>
        )}
      </ul>
    </section>
  )
}

export const Facets = ({
  selection,
  onChange
}: {
  readonly selection: CallSelection
  readonly onChange: (filter: FilterTree) => void
}) => {
  const counted = useQuery(facetsQuery(selection))
  return (
    <aside className="facets" aria-label="Facets" aria-busy={counted.isFetching}>
      {/* An error is shown instead of the counts within the filter before. */}
      <Loaded of={{ ...counted, data: counted.error === null ? counted.data : undefined }} rows={10}>
        {({ facets, timed_out, total }) => (
          <>
            <p className="muted" role="status">
              {number(total)} {total === 1 ? "call" : "calls"}
            </p>
            {facets
              .filter(({ missing }) => total > 0 && missing < total)
              .map((facet) => (
                <FacetValues
                  key={facet.field}
                  facet={facet}
                  total={total}
                  filter={selection.filter ?? null}
                  onChange={onChange}
                />
              ))}
            {timed_out.length === 0 ? null : (
              <p className="notice warn plain">
                Counting took too long for {timed_out.map(fieldName).join(", ")}. Use a shorter period of time.
              </p>
            )}
          </>
        )}
      </Loaded>
    </aside>
  )
}
