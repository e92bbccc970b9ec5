import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { agentsQuery } from "../api/calls.js"
import { basePath, client, dataOf, type Metric } from "../api/client.js"
import { Dialog } from "../components/Dialog.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { FormDialog, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { State } from "../components/Status.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { number, shortTime, words } from "../rules/format.js"
import "../styles/results.css"
import { Agents } from "./SettingsAgents.js"

const NEWEST = { params: { query: { limit: 100 } } }

const keyState = (
  key: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: Date
): string =>
  key.revoked_at !== null
    ? "revoked"
    : key.expires_at !== null && new Date(key.expires_at) <= now
      ? "expired"
      : "active"

const SCOPES: ReadonlyArray<
  readonly [
    name: string,
    scopes: ReadonlyArray<"all" | "calls:write" | "calls:read" | "dashboards:read" | "results:read" | "catalog:read">
  ]
> = [
  ["Everything", ["all"]],
  ["Send calls (webhooks)", ["calls:write"]],
  [
    "Read everything of calls, dashboards and results",
    ["calls:read", "dashboards:read", "results:read", "catalog:read"]
  ]
]

const NewKey = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const [name, setName] = useState("")
  const [choice, setChoice] = useState(1)
  const create = useMutation({
    mutationFn: () =>
      dataOf(client.POST("/user/v1/api_keys/", { body: { name, scopes: [...(SCOPES[choice]?.[1] ?? [])] } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  const secret = create.data !== undefined && "api_key" in create.data ? create.data.api_key : undefined
  if (secret !== undefined) {
    return (
      <Dialog title="New API key" onClose={onClose} narrow>
        <p>Copy the key now: it is not shown again.</p>
        <pre className="code" tabIndex={0}>
          {secret}
        </pre>
        <footer>
          <button
            type="button"
            className="button"
            onClick={() => {
              void navigator.clipboard.writeText(secret)
            }}
          >
            <Icon name="copy" /> Copy
          </button>
          <button type="button" className="button primary" onClick={onClose}>
            Done
          </button>
        </footer>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title="New API key"
      submit="Create"
      error={create.error}
      fields={["name"]}
      isPending={create.isPending}
      isComplete={name.trim() !== ""}
      onSubmit={() => {
        create.mutate()
      }}
      onClose={onClose}
    >
      <TextField
        name="Name"
        value={name}
        maxLength={255}
        error={fieldMessages(create.error, "name")}
        onChange={setName}
      />
      <fieldset>
        <legend className="label">Permissions</legend>
        {SCOPES.map(([label], index) => (
          <label key={label} className="check">
            <input
              type="radio"
              name="scopes"
              checked={choice === index}
              onChange={() => {
                setChoice(index)
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}

const Keys = () => {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: async ({ signal }) => (await dataOf(client.GET("/user/v1/api_keys/", { ...NEWEST, signal }))).results
  })
  const revoke = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/user/v1/api_keys/{id}/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  const now = new Date()
  return (
    <section className="card" aria-labelledby="keys-title">
      <header>
        <h2 id="keys-title">API keys</h2>
        <button
          type="button"
          className="button small"
          onClick={() => {
            setOpen(true)
          }}
        >
          <Icon name="plus" /> New key
        </button>
      </header>
      {revoke.error === null ? null : <ErrorNotice error={revoke.error} />}
      <Loaded of={keys}>
        {(all) => (
          <div className="table-scroll">
            <table className="table">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Key</th>
                  <th>Scopes</th>
                  <th>Created (UTC)</th>
                  <th>State</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {all.map((key) => {
                  const state = keyState(key, now)
                  return (
                    <tr key={key.id}>
                      <td className="strong plain">{key.name}</td>
                      <td className="mono">{key.hint}</td>
                      <td>{key.scopes.length > 3 ? `${key.scopes.length} permissions` : key.scopes.join(", ")}</td>
                      <td className="nowrap">{shortTime(key.created_at, now)}</td>
                      <td>
                        <span className={`pill ${state === "active" ? "good" : ""}`}>{words(state)}</span>
                      </td>
                      <td className="number">
                        {state === "active" ? (
                          <button
                            type="button"
                            className="button small danger"
                            disabled={revoke.isPending}
                            aria-label={`Revoke ${key.name}`}
                            onClick={() => {
                              if (confirm(`Revoke "${key.name}"? Whoever uses it is refused at once.`))
                                revoke.mutate(key.id)
                            }}
                          >
                            Revoke
                          </button>
                        ) : null}
                      </td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
      {isOpen ? (
        <NewKey
          onClose={() => {
            setOpen(false)
          }}
        />
      ) : null}
    </section>
  )
}

const PLATFORMS = ["vapi", "retell", "elevenlabs", "livekit", "pipecat"] as const

/** The agents, the one that is chosen (the first at the beginning), and the control that chooses another. */
const useChosenAgent = () => {
  const query = useQuery(agentsQuery)
  const [agent, setAgent] = useState<number>()
  const chosen = agent ?? query.data?.[0]?.id
  const select = (
    <select
      className="input speed"
      aria-label="Agent"
      value={chosen ?? ""}
      onChange={(event) => {
        setAgent(Number(event.target.value))
      }}
    >
      {query.data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
  return { query, chosen, select }
}

const Webhooks = () => {
  const agents = useChosenAgent()
  const { chosen } = agents
  return (
    <section className="card" aria-labelledby="webhooks-title">
      <header>
        <h2 id="webhooks-title">Webhooks of voice platforms</h2>
        {agents.select}
      </header>
      <div className="body stack">
        <p className="muted">
          Enter the address of your platform there, with an API key of the scope{" "}
          <code className="mono">calls:write</code> in the header <code className="mono">X-SERVICE-API-KEY</code>.
        </p>
        <Loaded of={agents.query}>
          {() => (
            <dl className="facts">
              {PLATFORMS.map((platform) => (
                <div key={platform}>
                  <dt>{platform}</dt>
                  <dd className="mono plain">
                    {`${location.origin}${basePath}/observability/v1/${platform}/observe/?agent_id=${chosen ?? ""}`}
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </Loaded>
      </div>
    </section>
  )
}

const Metrics = () => {
  const queries = useQueryClient()
  const agents = useChosenAgent()
  const { chosen } = agents
  const metrics = useQuery({
    queryKey: ["agent metrics", chosen],
    enabled: chosen !== undefined,
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          client.GET("/test_framework/v1/metrics/", {
            params: { query: { limit: 200, agent_id: chosen ?? 0 } },
            signal
          })
        )
      ).results
  })
  const change = useMutation({
    mutationFn: ({
      body,
      id
    }: {
      readonly id: number
      readonly body: Partial<Pick<Metric, "observability_enabled" | "simulation_enabled">>
    }) => dataOf(client.PATCH("/test_framework/v1/metrics/{id}/", { params: { path: { id } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["agent metrics"] })
  })
  return (
    <section className="card" aria-labelledby="metrics-title">
      <header>
        <h2 id="metrics-title">Metrics</h2>
        {agents.select}
      </header>
      {change.error === null ? null : <ErrorNotice error={change.error} />}
      <Loaded of={metrics}>
        {(all) => (
          <div className="table-scroll">
            <table className="table">
              <thead>
                <tr>
                  <th>Metric</th>
                  <th>Kind</th>
                  <th>Calls</th>
                  <th>Tests</th>
                </tr>
              </thead>
              <tbody>
                {all.map((metric) => (
                  <tr key={metric.id}>
                    <td>
                      <span className="strong plain">{metric.name}</span>
                      <div className="muted small plain">{metric.description}</div>
                    </td>
                    <td>
                      {metric.type === "llm_judge"
                        ? "LLM judge"
                        : metric.function_name === ""
                          ? "Custom code"
                          : "Formula"}
                    </td>
                    {(["observability_enabled", "simulation_enabled"] as const).map((field) => (
                      <td key={field}>
                        <input
                          type="checkbox"
                          aria-label={`${metric.name} for ${field === "observability_enabled" ? "calls" : "tests"}`}
                          checked={metric[field]}
                          disabled={change.isPending}
                          onChange={() => {
                            change.mutate({ id: metric.id, body: { [field]: !metric[field] } })
                          }}
                        />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </section>
  )
}

const JOB_STATES = ["dead", "queued", "running", "succeeded"] as const

const Jobs = () => {
  const queries = useQueryClient()
  const [state, setState] = useState<(typeof JOB_STATES)[number]>("dead")
  const jobs = useQuery({
    queryKey: ["jobs", state],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET("/jobs/", { params: { query: { limit: 100, state } }, signal }))).results
  })
  const retry = useMutation({
    mutationFn: (id: number) => dataOf(client.POST("/jobs/{id}/retry/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["jobs"] })
  })
  const now = new Date()
  return (
    <section className="card" aria-labelledby="jobs-title">
      <header>
        <h2 id="jobs-title">Jobs</h2>
        <select
          className="input speed"
          aria-label="State"
          value={state}
          onChange={(event) => {
            setState(JOB_STATES.find((one) => one === event.target.value) ?? "dead")
          }}
        >
          {JOB_STATES.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
      </header>
      {retry.error === null ? null : <ErrorNotice error={retry.error} />}
      <Loaded of={jobs}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={`No ${state} jobs`}>
              {state === "dead" ? <p>A job is dead when it has used all its attempts.</p> : null}
            </Empty>
          ) : (
            <div className="table-scroll">
              <table className="table">
                <thead>
                  <tr>
                    <th>Job</th>
                    <th>State</th>
                    <th className="number">Attempts</th>
                    <th>Changed (UTC)</th>
                    <th>Last error</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {all.map((job) => (
                    <tr key={job.id}>
                      <td className="strong">{words(job.kind)}</td>
                      <td>
                        <State state={job.state} />
                      </td>
                      <td className="number">
                        {job.attempts} of {job.max_attempts}
                      </td>
                      <td className="nowrap">{shortTime(job.updated_at, now)}</td>
                      <td className="plain muted">{job.last_error}</td>
                      <td className="number">
                        {job.state === "dead" ? (
                          <button
                            type="button"
                            className="button small"
                            disabled={retry.isPending}
                            onClick={() => {
                              retry.mutate(job.id)
                            }}
                          >
                            Retry
                          </button>
                        ) : null}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  )
}

const Credits = () => {
  const ledger = useQuery({
    queryKey: ["ledger"],
    queryFn: async ({ signal }) => (await dataOf(client.GET("/credits/ledger/", { ...NEWEST, signal }))).results
  })
  const now = new Date()
  return (
    <section className="card" aria-labelledby="credits-title">
      <header>
        <h2 id="credits-title">Credits</h2>
      </header>
      <Loaded of={ledger}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No charges yet" />
          ) : (
            <div className="table-scroll">
              <table className="table">
                <thead>
                  <tr>
                    <th>Time (UTC)</th>
                    <th>Reason</th>
                    <th>Call</th>
                    <th className="number">Credits</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((entry) => (
                    <tr key={entry.id}>
                      <td className="nowrap">{shortTime(entry.created_at, now)}</td>
                      <td>
                        {words(entry.reason)}
                        {entry.seconds === null ? null : (
                          <span className="muted"> of {number(entry.seconds, 1)} seconds</span>
                        )}
                      </td>
                      <td>
                        {entry.call === null ? (
                          "–"
                        ) : (
                          <Link to="/calls/$id" params={{ id: String(entry.call) }} search={{}} className="link">
                            {entry.call}
                          </Link>
                        )}
                      </td>
                      <td className="number">{entry.amount}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  )
}

const TABS = {
  agents: ["Agents", Agents],
  keys: ["API keys", Keys],
  webhooks: ["Webhooks", Webhooks],
  metrics: ["Metrics", Metrics],
  jobs: ["Jobs", Jobs],
  credits: ["Credits", Credits]
} as const

type Tab = keyof typeof TABS

const isTab = (tab: string | undefined): tab is Tab => tab !== undefined && Object.hasOwn(TABS, tab)

export const Settings = () => {
  const { tab } = useSearch({ from: "/app/settings" })
  const chosen: Tab = isTab(tab) ? tab : "keys"
  const [, Shown] = TABS[chosen]
  return (
    <>
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <nav className="tabs settings-tabs" aria-label="Settings">
        {Object.entries(TABS).map(([id, [name]]) => (
          <Link key={id} to="/settings" search={{ tab: id }} {...(id === chosen ? { "aria-current": "page" } : {})}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="page">
        <div className="content">
          <Shown />
        </div>
      </div>
    </>
  )
}
