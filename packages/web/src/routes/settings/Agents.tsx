/** The agents of an organization: what they are, where they are called, and whether they can be called by voice. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { agentsQuery } from "../../api/calls.js"
import { client, dataOf, type Schemas } from "../../api/client.js"
import { projectsQuery } from "../../api/dashboards.js"
import { DraftOffer, useDraft } from "../../components/draft.js"
import { Empty, ErrorNotice, Loaded } from "../../components/Feedback.js"
import { Checks, entities, FormDialog, Select, TextArea, TextField } from "../../components/Form.js"
import { Icon } from "../../components/Icon.js"
import { useMay } from "../../components/permission.js"
import { RowActions } from "../../components/TestPages.js"
import {
  agentBodyOf,
  type AgentForm,
  agentFormOf,
  CHANNELS,
  CHAT_KINDS,
  type Header,
  NEW_AGENT,
  repeatedHeader,
  VOICE_PROTOCOLS,
  withoutSecrets
} from "../../rules/agentDraft.js"
import { fieldMessages } from "../../rules/fieldErrors.js"
import { number } from "../../rules/format.js"
import "../../styles/tests.css"

type Agent = Schemas["Agent"]

const path = (id: number) => ({ path: { id } })

const FIELDS = [
  "project",
  "name",
  "description",
  "assistant_id",
  "provider",
  "supported_channels",
  "chat_endpoint.url",
  "chat_endpoint.kind",
  "chat_endpoint.headers",
  "voice_endpoint.url",
  "voice_endpoint.protocol",
  "voice_endpoint.headers",
  "voice_endpoint.auth_token"
]

const HeaderFields = ({
  error,
  headers,
  onChange
}: {
  readonly headers: ReadonlyArray<Header>
  readonly error: string | undefined
  readonly onChange: (headers: ReadonlyArray<Header>) => void
}) => {
  const repeated = repeatedHeader(headers)
  const message = repeated === undefined ? error : `The header ${repeated} is there twice. Remove one.`
  const change = (at: number, by: Partial<Header>) => {
    onChange(headers.map((header, index) => (index === at ? { ...header, ...by } : header)))
  }
  return (
    <>
      {headers.map(({ name, value }, at) => (
        <div key={at} className="header-row">
          <TextField
            name={`Header ${at + 1}`}
            value={name}
            maxLength={100}
            onChange={(next) => {
              change(at, { name: next })
            }}
          />
          <TextField
            name={`Value ${at + 1}`}
            value={value}
            onChange={(next) => {
              change(at, { value: next })
            }}
          />
          <button
            type="button"
            className="button quiet icon"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => {
              onChange(headers.filter((_, index) => index !== at))
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {message === undefined ? null : (
        <span className="field-error plain" role="alert">
          {message}
        </span>
      )}
      <div>
        <button
          type="button"
          className="button small"
          onClick={() => {
            onChange([...headers, { name: "", value: "" }])
          }}
        >
          <Icon name="plus" /> Header
        </button>
      </div>
    </>
  )
}

const AgentDialog = ({ agent, onClose }: { readonly agent: Agent | undefined; readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const projects = useQuery(projectsQuery)
  const [chosen, setProject] = useState<number | null>(null)
  const project = chosen ?? projects.data?.[0]?.id
  const draft = useDraft(
    `agent ${agent?.id ?? "new"}`,
    agent === undefined ? NEW_AGENT : agentFormOf(agent),
    withoutSecrets
  )
  const form = draft.value
  const set = (change: Partial<AgentForm>) => {
    draft.set((current) => ({ ...current, ...change }))
  }
  const save = useMutation({
    mutationFn: async () => {
      const body = agentBodyOf(form)
      if (agent === undefined) {
        await dataOf(client.POST("/test_framework/v1/agents/", { body: { ...body, project: project ?? 0 } }))
      } else {
        await dataOf(client.PATCH("/test_framework/v1/agents/{id}/", { params: path(agent.id), body }))
      }
    },
    onSuccess: async () => {
      draft.done()
      await queries.invalidateQueries({ queryKey: ["agents"] })
      onClose()
    }
  })
  const at = (field: string) => fieldMessages(save.error, field)
  return (
    <FormDialog
      title={agent === undefined ? "New agent" : "Edit agent"}
      submit={agent === undefined ? "Create" : "Save"}
      error={save.error}
      fields={FIELDS}
      isPending={save.isPending}
      isComplete={
        form.name.trim() !== "" &&
        (agent !== undefined || project !== undefined) &&
        repeatedHeader(form.chat_headers) === undefined &&
        repeatedHeader(form.voice_headers) === undefined
      }
      isNarrow={false}
      onSubmit={() => {
        save.mutate()
      }}
      onClose={onClose}
    >
      <DraftOffer draft={draft} />
      <TextField
        name="Name"
        value={form.name}
        maxLength={255}
        error={at("name")}
        onChange={(name) => {
          set({ name })
        }}
      />
      {agent === undefined && (projects.data?.length ?? 0) > 1 ? (
        <Select
          name="Project"
          value={project}
          options={entities(projects.data)}
          error={at("project")}
          onChange={setProject}
        />
      ) : null}
      <TextArea
        name="Prompt"
        hint="{{variable}} is filled in from the dynamic variables of a call."
        rows={4}
        value={form.description}
        error={at("description")}
        onChange={(description) => {
          set({ description })
        }}
      />
      <TextField
        name="Voice platform"
        value={form.provider}
        maxLength={100}
        error={at("provider")}
        onChange={(provider) => {
          set({ provider })
        }}
      />
      <TextField
        name="Id on the platform"
        hint="Finds the agent of calls that the platform sends."
        value={form.assistant_id}
        maxLength={255}
        error={at("assistant_id")}
        onChange={(assistant_id) => {
          set({ assistant_id })
        }}
      />
      <Checks
        name="Channels"
        options={CHANNELS}
        chosen={form.supported_channels}
        error={at("supported_channels")}
        onChange={(supported_channels) => {
          set({ supported_channels })
        }}
      />
      <fieldset className="item">
        <legend className="label">Chat endpoint</legend>
        <TextField
          name="Chat URL"
          hint="Called for tests in text. Blank for none."
          placeholder="https://"
          value={form.chat_url}
          error={at("chat_endpoint.url")}
          onChange={(chat_url) => {
            set({ chat_url })
          }}
        />
        <Select
          name="Protocol"
          value={form.chat_kind}
          options={CHAT_KINDS}
          error={at("chat_endpoint.kind")}
          onChange={(kind) => {
            set({ chat_kind: kind ?? "openai" })
          }}
        />
        <HeaderFields
          headers={form.chat_headers}
          error={at("chat_endpoint.headers")}
          onChange={(chat_headers) => {
            set({ chat_headers })
          }}
        />
      </fieldset>
      <fieldset className="item">
        <legend className="label">Voice endpoint</legend>
        <TextField
          name="Voice URL"
          hint="A WebSocket that is called for tests by voice. Blank for none."
          placeholder="wss://"
          value={form.voice_url}
          error={at("voice_endpoint.url")}
          onChange={(voice_url) => {
            set({ voice_url })
          }}
        />
        <Select
          name="Voice protocol"
          value={form.voice_protocol}
          options={VOICE_PROTOCOLS}
          error={at("voice_endpoint.protocol")}
          onChange={(protocol) => {
            set({ voice_protocol: protocol ?? "twilio" })
          }}
        />
        <TextField
          name="Token"
          hint="Signs the connection in the protocol of Twilio. Blank for none."
          value={form.voice_token}
          error={at("voice_endpoint.auth_token")}
          onChange={(voice_token) => {
            set({ voice_token })
          }}
        />
        <HeaderFields
          headers={form.voice_headers}
          error={at("voice_endpoint.headers")}
          onChange={(voice_headers) => {
            set({ voice_headers })
          }}
        />
      </fieldset>
      <p className="hint">
        ******** stands for a stored value, which is kept while scheme, host and port of the address stay the same.
      </p>
    </FormDialog>
  )
}

/** What a check of a voice endpoint found. */
const CheckNotice = ({ check, name }: { readonly check: Schemas["VoiceCheck"]; readonly name: string }) => (
  <div className={`notice ${check.ok ? "" : "bad"}`}>
    <div className="plain">
      <strong>{name}</strong>: {check.detail}
      {check.first_audio_seconds === null ? null : (
        <span className="muted"> First audio after {number(check.first_audio_seconds, 2)} seconds.</span>
      )}
    </div>
  </div>
)

const endpointOf = (url: string | undefined) =>
  url === undefined ? <span className="muted">None</span> : <span className="mono plain">{url}</span>

export const Agents = () => {
  const queries = useQueryClient()
  const agents = useQuery(agentsQuery)
  const [editing, setEditing] = useState<Agent | "new">()
  const [mayWrite, mayDelete] = [useMay("catalog:write"), useMay("catalog:delete")]
  const check = useMutation({
    mutationFn: ({ id }: Agent) =>
      dataOf(client.POST("/test_framework/v1/agents/{id}/check_voice/", { params: path(id) }))
  })
  const remove = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/test_framework/v1/agents/{id}/", { params: path(id) })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["agents"] })
  })
  const failed = check.error ?? remove.error
  const checked = check.variables?.name ?? ""
  return (
    <section className="card" aria-labelledby="agents-title">
      <header>
        <h2 id="agents-title">Agents</h2>
        {mayWrite ? (
          <button
            type="button"
            className="button small"
            onClick={() => {
              setEditing("new")
            }}
          >
            <Icon name="plus" /> New agent
          </button>
        ) : null}
      </header>
      {failed === null ? null : <ErrorNotice error={failed} />}
      <div role="status">
        {check.isPending ? (
          <div className="notice plain">Calling {checked}, for at most 26 seconds.</div>
        ) : check.data === undefined ? null : (
          <CheckNotice check={check.data} name={checked} />
        )}
      </div>
      <Loaded of={agents}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No agents yet" />
          ) : (
            <div className="table-scroll" role="region" aria-label="Agents" tabIndex={0}>
              <table className="table">
                <thead>
                  <tr>
                    <th>Name</th>
                    <th>Id</th>
                    <th>Chat endpoint</th>
                    <th>Voice endpoint</th>
                    <th>
                      <span className="sr-only">Check and actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((agent) => (
                    <tr key={agent.id}>
                      <td className="wide">
                        <span className="strong plain">{agent.name}</span>
                        <div className="muted small plain clamp">{agent.description}</div>
                      </td>
                      <td className="mono">{agent.id}</td>
                      <td>{endpointOf(agent.chat_endpoint?.url)}</td>
                      <td>
                        {endpointOf(agent.voice_endpoint?.url)}
                        {mayWrite && agent.voice_endpoint !== null ? (
                          <div>
                            <button
                              type="button"
                              className="button small"
                              aria-label={`Check the voice endpoint of ${agent.name}`}
                              disabled={check.isPending}
                              onClick={() => {
                                check.mutate(agent)
                              }}
                            >
                              Check
                            </button>
                          </div>
                        ) : null}
                      </td>
                      <RowActions
                        name={agent.name}
                        onEdit={
                          mayWrite
                            ? () => {
                                setEditing(agent)
                              }
                            : undefined
                        }
                        onDelete={
                          mayDelete
                            ? () => {
                                remove.mutate(agent.id)
                              }
                            : undefined
                        }
                        consequence="Its calls are kept."
                      />
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
      {editing === undefined ? null : (
        <AgentDialog
          agent={editing === "new" ? undefined : editing}
          onClose={() => {
            setEditing(undefined)
          }}
        />
      )}
    </section>
  )
}
