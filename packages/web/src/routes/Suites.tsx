import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useMemo, useRef, useState } from "react"
import { agentsQuery } from "../api/calls.js"
import { EarshotError } from "../api/client.js"
import { type Channel, planSuite, runSuite, type SuiteDraft, type SuitePlan } from "../api/suites.js"
import { Stats } from "../components/Facts.js"
import { DraftOffer, useDraft } from "../components/draft.js"
import { ErrorNotice } from "../components/Feedback.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { number, words } from "../rules/format.js"
import { type Place, placeErrors } from "../rules/suiteText.js"
import "../styles/results.css"
import "../styles/suites.css"

/** Fields of the request beside the suite, which have a place of their own in the form. */
const FORM_FIELDS: ReadonlySet<string> = new Set(["agent_id", "channel"])

const CHANNELS: ReadonlyArray<Channel> = ["text", "voice"]

/** The largest file that the server takes. */
const MAX_BYTES = 1_000_000

/** How many errors of a suite are drawn. */
const MAX_SHOWN = 200

/** The errors of a suite, each with its line and column, which lead to it in the text. */
const SuiteErrors = ({
  error,
  text,
  onGo
}: {
  readonly error: unknown
  readonly text: string
  readonly onGo: (place: Place) => void
}) => {
  const errors = useMemo(
    () =>
      error instanceof EarshotError && error.status === 400
        ? placeErrors(
            text,
            Object.fromEntries(Object.entries(error.errors).filter(([field]) => !FORM_FIELDS.has(field)))
          )
        : [],
    [error, text]
  )
  if (errors.length === 0) {
    return error instanceof EarshotError && Object.keys(error.errors).some((field) => FORM_FIELDS.has(field)) ? null : (
      <ErrorNotice error={error} />
    )
  }
  return (
    <section className="card" role="alert" aria-labelledby="errors-title">
      <header>
        <h2 id="errors-title">
          {number(errors.length)} {errors.length === 1 ? "error" : "errors"}
        </h2>
      </header>
      <ul className="suite-errors">
        {errors.slice(0, MAX_SHOWN).map(({ message, path, place }) => (
          <li key={`${path} ${message}`}>
            {place === null ? null : (
              <button
                type="button"
                className="button small"
                onClick={() => {
                  onGo(place)
                }}
              >
                Line {place.line}, column {place.column}
              </button>
            )}
            <code className="mono plain">{path}</code>
            <span className="plain">{message}</span>
          </li>
        ))}
      </ul>
      {errors.length > MAX_SHOWN ? (
        <p className="body muted">The first {MAX_SHOWN} errors are shown. Correct them and validate again.</p>
      ) : null}
    </section>
  )
}

const Plan = ({
  plan,
  isPending,
  onRun
}: {
  readonly plan: SuitePlan
  readonly isPending: boolean
  readonly onRun: () => void
}) => (
  <section className="card" aria-labelledby="plan-title">
    <header className="row spread">
      <h2 id="plan-title" className="plain">
        Plan of {plan.suite_name}
      </h2>
      <button type="button" className="button primary" disabled={isPending} onClick={onRun}>
        Run for {plan.estimated_cost} credits
      </button>
    </header>
    <div className="body stack">
      <Stats
        of={[
          ["Scenarios", number(plan.scenario_count)],
          ["Runs", number(plan.total_runs)],
          ["Channel", words(plan.channel)],
          ["Estimated cost", `${plan.estimated_cost} credits`]
        ]}
      />
      {plan.runnable ? null : <p className="notice">Earshot does not execute these runs: {plan.not_runnable_reason}</p>}
    </div>
    <div className="table-scroll" role="region" aria-label="Scenarios" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th>Scenario</th>
            <th>Type</th>
            <th>Personality</th>
            <th className="number">Runs</th>
            <th className="number">Credits</th>
          </tr>
        </thead>
        <tbody>
          {plan.scenarios.map((scenario) => (
            <tr key={scenario.key}>
              <td>
                <span className="strong plain">{scenario.name}</span>
                <div className="muted small mono plain">{scenario.key}</div>
              </td>
              <td>{words(scenario.type)}</td>
              <td className="plain">{scenario.personality?.name ?? "–"}</td>
              <td className="number">{number(scenario.frequency)}</td>
              <td className="number">{scenario.estimated_cost}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

export const Suites = () => {
  const agents = useQuery(agentsQuery)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const text = useRef<HTMLTextAreaElement>(null)
  const kept = useDraft("suite", "")
  const { set: setSpec, value: spec } = kept
  const [fileError, setFileError] = useState<string>()
  const [agent, setAgent] = useState<number>()
  const [channel, setChannel] = useState<Channel>("text")
  const plan = useMutation({ mutationFn: planSuite })
  const run = useMutation({
    mutationFn: runSuite,
    onSuccess: async ({ id }) => {
      kept.done()
      await queries.invalidateQueries({ queryKey: ["results"] })
      await navigate({ to: "/results/$id", params: { id: String(id) } })
    }
  })
  const draft: SuiteDraft = { spec, agent_id: agent ?? agents.data?.[0]?.id ?? null, channel }
  /** A plan is of what it was made from: it goes when that changes. */
  const onChange = () => {
    plan.reset()
    run.reset()
  }
  const error = run.error ?? plan.error
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > MAX_BYTES) {
      setFileError(`${file.name} has more than 1 MB. Split the suite.`)
      return
    }
    setFileError(undefined)
    const content = await file.text()
    setSpec(() => content)
    onChange()
  }
  return (
    <>
      <div className="page-head">
        <h1>Run a suite</h1>
        <div className="end">
          <Link to="/results" className="button">
            Results
          </Link>
        </div>
      </div>
      <div className="page stack suites">
        <form
          className="card"
          onSubmit={(event) => {
            event.preventDefault()
            run.reset()
            plan.mutate(draft)
          }}
        >
          <div className="body stack">
            <div className="row wrap">
              <label className="field">
                <span className="label">Agent</span>
                <select
                  className="input"
                  value={draft.agent_id ?? ""}
                  onChange={(event) => {
                    setAgent(Number(event.target.value))
                    onChange()
                  }}
                >
                  {agents.data?.map((one) => (
                    <option key={one.id} value={one.id}>
                      {one.name}
                    </option>
                  ))}
                </select>
                <span className="field-error">{fieldMessages(error, "agent_id")}</span>
              </label>
              <label className="field">
                <span className="label">Channel</span>
                <select
                  className="input"
                  value={channel}
                  onChange={(event) => {
                    setChannel(CHANNELS.find((one) => one === event.target.value) ?? "text")
                    onChange()
                  }}
                >
                  {CHANNELS.map((one) => (
                    <option key={one} value={one}>
                      {words(one)}
                    </option>
                  ))}
                </select>
                <span className="field-error">{fieldMessages(error, "channel")}</span>
              </label>
              <label className="field suite-file">
                <span className="label">File</span>
                <input
                  className="input"
                  type="file"
                  accept=".json,.yaml,.yml,.csv"
                  onChange={(event) => void read(event.target.files?.[0])}
                />
                <span className="field-error plain">{fileError}</span>
              </label>
            </div>
            <DraftOffer draft={kept} />
            <label className="field">
              <span className="label">Suite as JSON, YAML, or scenarios as CSV</span>
              <textarea
                ref={text}
                className="input mono suite-text"
                value={spec}
                rows={16}
                spellCheck={false}
                wrap="off"
                onChange={(event) => {
                  const { value } = event.target
                  setSpec(() => value)
                  onChange()
                }}
              />
            </label>
            <div className="row">
              <button type="submit" className="button primary" disabled={plan.isPending || spec.trim() === ""}>
                Validate
              </button>
              <span className="muted">Validating creates nothing and costs nothing.</span>
            </div>
          </div>
        </form>
        {error === null ? null : (
          <SuiteErrors
            error={error}
            text={spec}
            onGo={({ line, offset }) => {
              const area = text.current
              if (area === null) return
              area.focus()
              area.setSelectionRange(offset, offset)
              area.scrollTop = (line - 3) * Number.parseFloat(getComputedStyle(area).lineHeight)
            }}
          />
        )}
        {plan.data === undefined ? null : (
          <Plan
            plan={plan.data}
            isPending={run.isPending}
            onRun={() => {
              run.mutate(draft)
            }}
          />
        )}
      </div>
    </>
  )
}
