/** The agents of an organization: what they are, where they are called, and whether they can be called by voice. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { agentsQuery } from "../../api/calls.js"
import { client, dataOf, type Schemas } from "../../api/client.js"
import { projectsQuery } from "../../api/dashboards.js"
import { DataTable } from "../../components/DataTable.js"
import { useDraft } from "../../components/draft.js"
import { DraftDialog, useDraftForm } from "../../components/DraftForm.js"
import { Empty, Loaded } from "../../components/Feedback.js"
import { Checks, entities, Select, TextArea, TextField } from "../../components/Form.js"
import { Icon } from "../../components/Icon.js"
import { ItemsCard } from "../../components/ItemsCard.js"
import { useMay } from "../../components/permission.js"
import { RowActions } from "../../components/TestPages.js"
import {
  agentBodyOf,
  agentFormOf,
  CHANNELS,
  CHAT_KINDS,
  type Header,
  NEW_AGENT,
  repeatedHeader,
  VOICE_PROTOCOLS,
  withoutSecrets
} from "../../rules/agentDraft.js"
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
  const projects = useQuery(projectsQuery)
  const [chosen, setProject] = useState<number | null>(null)
  const project = chosen ?? projects.data?.[0]?.id
  const draft = useDraft(
    `agent ${agent?.id ?? "new"}`,
    agent === undefined ? NEW_AGENT : agentFormOf(agent),
    withoutSecrets
  )
  const edit = useDraftForm(draft, {
    save: async (form) => {
      const body = agentBodyOf(form)
      if (agent === undefined) {
        await dataOf(client.POST("/test_framework/v1/agents/", { body: { ...body, project: project ?? 0 } }))
      } else {
        await dataOf(client.PATCH("/test_framework/v1/agents/{id}/", { params: path(agent.id), body }))
      }
    },
    list: "agents",
    onSaved: onClose
  })
  const { at, bind, form, set } = edit
  return (
    <DraftDialog
      of={edit}
      title={agent === undefined ? "New agent" : "Edit agent"}
      submit={agent === undefined ? "Create" : "Save"}
      fields={FIELDS}
      isComplete={
        form.name.trim() !== "" &&
        (agent !== undefined || project !== undefined) &&
        repeatedHeader(form.chat_headers) === undefined &&
        repeatedHeader(form.voice_headers) === undefined
      }
      onClose={onClose}
    >
      <TextField name="Name" maxLength={255} {...bind("name")} />
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
        {...bind("description")}
      />
      <TextField name="Voice platform" maxLength={100} {...bind("provider")} />
      <TextField
        name="Id on the platform"
        hint="Finds the agent of calls that the platform sends."
        maxLength={255}
        {...bind("assistant_id")}
      />
      <Checks name="Channels" options={CHANNELS} {...bind("supported_channels")} />
      <fieldset className="item">
        <legend className="label">Chat endpoint</legend>
        <TextField
          name="Chat URL"
          hint="Called for tests in text. Blank for none."
          placeholder="https://"
          {...bind("chat_url", "chat_endpoint.url")}
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
          {...bind("voice_url", "voice_endpoint.url")}
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
          {...bind("voice_token", "voice_endpoint.auth_token")}
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
    </DraftDialog>
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
    <ItemsCard
      title="Agents"
      add="New agent"
      onAdd={
        mayWrite
          ? () => {
              setEditing("new")
            }
          : undefined
      }
      error={failed}
    >
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
            <DataTable
              label="Agents"
              rows={all}
              columns={[
                {
                  name: "Name",
                  className: "wide",
                  of: ({ description, name }) => (
                    <>
                      <span className="strong plain">{name}</span>
                      <div className="muted small plain clamp">{description}</div>
                    </>
                  )
                },
                { name: "Id", className: "mono", of: ({ id }) => id },
                { name: "Chat endpoint", of: (agent) => endpointOf(agent.chat_endpoint?.url) },
                {
                  name: "Voice endpoint",
                  of: (agent) => (
                    <>
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
                    </>
                  )
                }
              ]}
              actions={(agent) => (
                <RowActions
                  of={agent}
                  onEdit={mayWrite ? setEditing : undefined}
                  onDelete={mayDelete ? remove.mutate : undefined}
                  consequence="Its calls are kept."
                />
              )}
            />
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
    </ItemsCard>
  )
}
