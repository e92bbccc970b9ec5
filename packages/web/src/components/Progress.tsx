import type { Result } from "../api/client.js"
import { number, words } from "../rules/format.js"

const PARTS = [
  ["completed", "good"],
  ["evaluating", "info"],
  ["running", "info"],
  ["failed", "bad"],
  ["timeout", "bad"],
  ["cancelled", "muted"],
  ["queued", "line-strong"]
] as const

/** The runs of a result by their state, as one bar. */
export const Progress = ({ result }: { readonly result: Pick<Result, "runs_by_status" | "total_runs"> }) => {
  const parts = PARTS.flatMap(([state, color]) => {
    const count = result.runs_by_status[state]
    return count === 0 ? [] : [{ state, color, count }]
  })
  const label = parts.map(({ count, state }) => `${number(count)} ${words(state).toLowerCase()}`).join(", ")
  return (
    <div className="progress" role="img" aria-label={`Runs: ${label === "" ? "none" : label}`} title={label}>
      {parts.map(({ color, count, state }) => (
        <span key={state} style={{ flexGrow: count, background: `var(--${color})` }} />
      ))}
    </div>
  )
}
