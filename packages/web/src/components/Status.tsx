import { words } from "../rules/format.js"

/** The outcome of a call: success or failure, and whether a person confirmed it. */
export const CallStatus = ({ status }: { readonly status: string | null }) => {
  if (status === null) return <span className="pill">Not known</span>
  const isGood = status.endsWith("success")
  return (
    <span className={`pill ${isGood ? "good" : "bad"}`}>
      {isGood ? "Success" : "Failure"}
      {status.startsWith("reviewed") ? <span title="Reviewed by a person"> ✓</span> : null}
    </span>
  )
}

const TONES: Readonly<Record<string, string>> = {
  completed: "good",
  scored: "good",
  succeeded: "good",
  running: "info",
  evaluating: "info",
  queued: "",
  failed: "bad",
  timeout: "bad",
  dead: "bad",
  better: "good",
  worse: "bad",
  mixed: "warn"
}

/** A state by its name, colored where it is good or bad. */
export const State = ({ state }: { readonly state: string }) => (
  <span className={`pill ${TONES[state] ?? ""}`}>{words(state)}</span>
)

export const Outcome = ({ success }: { readonly success: boolean | null }) =>
  success === null ? (
    <span className="pill">Not known</span>
  ) : (
    <span className={`pill ${success ? "good" : "bad"}`}>{success ? "Passed" : "Failed"}</span>
  )
