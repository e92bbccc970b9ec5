/** Proposes a shorter prompt of a metric, and saves it when it is accepted. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { client, dataOf, type Metric } from "../../api/client.js"
import { simplificationQuery } from "../../api/settings.js"
import { Dialog } from "../../components/Dialog.js"
import { ErrorNotice } from "../../components/Feedback.js"
import { number } from "../../rules/format.js"
import { type DiffLine, lineDiff } from "../../rules/lineDiff.js"
import { patchMetric } from "./patchMetric.js"

const MARKS: Readonly<Record<DiffLine["kind"], readonly [sign: string, name: string]>> = {
  same: [" ", ""],
  removed: ["−", "Removed: "],
  added: ["+", "Added: "]
}

const Diff = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <ol className="diff" aria-label="Changes of the prompt" tabIndex={0}>
    {lineDiff(before, after).map(({ kind, text }, at) => (
      <li key={at} className={kind}>
        <span aria-hidden="true">{MARKS[kind][0]}</span>
        <span className="sr-only">{MARKS[kind][1]}</span>
        <span className="plain">{text}</span>
      </li>
    ))}
  </ol>
)

/** What is known of a simplification. */
type Step =
  | { readonly step: "not requested" }
  | { readonly step: "running" }
  | { readonly step: "failed"; readonly error: unknown; readonly message?: string }
  | { readonly step: "proposed"; readonly prompt: string }
  | { readonly step: "nothing to remove" }

const useSimplification = (prompt: string) => {
  const request = useMutation({
    mutationFn: () =>
      dataOf(client.POST("/test_framework/v1/metrics/simplify_prompt/", { body: { original_prompt: prompt } }))
  })
  const requested = request.data !== undefined && "simplified_prompt" in request.data ? request.data : undefined
  const progress = useQuery({ ...simplificationQuery(requested?.progress_id), placeholderData: undefined })
  const step = (): Step => {
    if (request.isIdle) return { step: "not requested" }
    const error = request.error ?? progress.error
    if (error !== null) return { step: "failed", error }
    const { data } = progress
    if (data?.status === "failed") {
      return { step: "failed", error: null, message: data.error ?? "The prompt could not be simplified." }
    }
    // Without an id there is nothing to wait for.
    const found = requested?.progress_id === "" ? requested : data?.status === "completed" ? data : undefined
    if (found === undefined) return { step: "running" }
    return found.skipped_simplification || found.simplified_prompt === prompt
      ? { step: "nothing to remove" }
      : { step: "proposed", prompt: found.simplified_prompt }
  }
  return {
    ...step(),
    request: () => {
      request.mutate()
    }
  }
}

const Shown = ({ of, prompt }: { readonly of: Step; readonly prompt: string }) => {
  switch (of.step) {
    case "not requested":
      return (
        <>
          <p>
            A shorter prompt that asks the same is proposed. Nothing is saved before you accept it. Placeholders,
            numbers and names are kept.
          </p>
          <pre className="code plain" tabIndex={0} aria-label="Prompt">
            {prompt}
          </pre>
        </>
      )
    case "running":
      return <p role="status">The prompt is being simplified…</p>
    case "failed":
      return of.message === undefined ? (
        <ErrorNotice error={of.error} />
      ) : (
        <div className="notice bad" role="alert">
          <div className="plain">{of.message}</div>
        </div>
      )
    case "proposed":
      return (
        <>
          <p role="status">
            {number(prompt.length)} characters before, {number(of.prompt.length)} after.
          </p>
          <Diff before={prompt} after={of.prompt} />
        </>
      )
    case "nothing to remove":
      return <p role="status">Nothing can be removed from this prompt.</p>
  }
}

export const SimplifyDialog = ({ metric, onClose }: { readonly metric: Metric; readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const simplification = useSimplification(metric.prompt)
  const accept = useMutation({
    mutationFn: (prompt: string) => patchMetric(metric.id, { prompt }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["agent metrics"] })
      onClose()
    }
  })
  const { step } = simplification
  return (
    <Dialog title={`Simplify the prompt of ${metric.name}`} onClose={onClose}>
      <div className="stack">
        <Shown of={simplification} prompt={metric.prompt} />
        {accept.error === null ? null : <ErrorNotice error={accept.error} />}
      </div>
      <footer>
        <button type="button" className="button quiet" onClick={onClose}>
          {step === "nothing to remove" ? "Close" : "Cancel"}
        </button>
        {step === "proposed" ? (
          <button
            type="button"
            className="button primary"
            disabled={accept.isPending}
            onClick={() => {
              accept.mutate(simplification.prompt)
            }}
          >
            Accept and save
          </button>
        ) : step === "not requested" || step === "failed" ? (
          <button type="button" className="button primary" onClick={simplification.request}>
            {step === "failed" ? "Try again" : "Simplify"}
          </button>
        ) : null}
      </footer>
    </Dialog>
  )
}
