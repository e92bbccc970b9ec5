/** Integrations of voice platforms: an address with a signature for each, and the addresses that take an API key. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { agentsQuery } from "../../api/calls.js"
import { baseUrl, client, dataOf } from "../../api/client.js"
import { type Integration, integrationsQuery } from "../../api/settings.js"
import { useChosenAgent } from "../../components/agents.js"
import { DataTable } from "../../components/DataTable.js"
import { Empty, Loaded } from "../../components/Feedback.js"
import { ItemsCard } from "../../components/ItemsCard.js"
import { useMay } from "../../components/permission.js"
import { CopyButton } from "../../components/Secret.js"
import { fullTime, words } from "../../rules/format.js"
import { hookAddress, PLATFORM_NAMES, platformOf } from "../../rules/integrations.js"
import { EditIntegration, NewIntegration, RotateSecret, SetupDialog } from "./IntegrationForms.js"

type Opened =
  | { readonly dialog: "new" }
  | { readonly dialog: "edit" | "rotate"; readonly integration: Integration }
  | { readonly dialog: "setup"; readonly integration: Integration; readonly secret?: string | null }

const nameOf = (integration: Integration): string =>
  integration.name === "" ? platformOf(integration.platform).name : integration.name

/** Characters of an agent's name that are drawn in a line. */
const LONGEST = 40

const Address = ({ url, name }: { readonly url: string; readonly name: string }) => (
  <div className="address">
    <span className="mono plain">{url}</span>
    <CopyButton text={url} name={`the URL of ${name}`} />
  </div>
)

const OldSecret = ({ until }: { readonly until: string | null }) =>
  until === null || new Date(until) <= new Date() ? null : (
    <div className="small">The old secret is valid until {fullTime(until)}</div>
  )

const Dialogs = ({ opened, onOpen }: { readonly opened: Opened; readonly onOpen: (next?: Opened) => void }) => {
  const close = () => {
    onOpen()
  }
  switch (opened.dialog) {
    case "new":
      return (
        <NewIntegration
          onCreated={(integration, secret) => {
            onOpen({ dialog: "setup", integration, secret })
          }}
          onClose={close}
        />
      )
    case "edit":
      return <EditIntegration integration={opened.integration} onClose={close} />
    case "rotate":
      return (
        <RotateSecret
          integration={opened.integration}
          onRotated={(secret) => {
            onOpen(secret === null ? undefined : { dialog: "setup", integration: opened.integration, secret })
          }}
          onClose={close}
        />
      )
    case "setup":
      return <SetupDialog integration={opened.integration} secret={opened.secret ?? null} onClose={close} />
  }
}

const WithSignature = () => {
  const queries = useQueryClient()
  const mayManage = useMay("integrations:manage")
  const integrations = useInfiniteQuery(integrationsQuery)
  const agents = useQuery(agentsQuery)
  const [opened, setOpened] = useState<Opened>()
  const remove = useMutation({
    mutationFn: (id: number) =>
      dataOf(client.DELETE("/observability/v1/integrations/{id}/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["integrations"] })
  })
  const agentName = (id: number) => agents.data?.find((agent) => agent.id === id)?.name ?? `Agent ${id}`
  return (
    <ItemsCard
      title="Integrations"
      add="New integration"
      onAdd={
        mayManage
          ? () => {
              setOpened({ dialog: "new" })
            }
          : undefined
      }
      error={remove.error}
    >
      <Loaded of={integrations}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No integrations yet">
              <p>An integration gives a voice platform an address of its own, to which it sends its calls signed.</p>
            </Empty>
          ) : (
            <DataTable
              label="Integrations"
              rows={all}
              more={integrations}
              columns={[
                {
                  name: "Name",
                  className: "wide",
                  of: (one) => (
                    <>
                      <span className="strong plain">{nameOf(one)}</span>
                      <div className="muted small">{platformOf(one.platform).name}</div>
                      <OldSecret until={one.previous_secret_until} />
                    </>
                  )
                },
                {
                  name: "URL",
                  className: "wide",
                  of: (one) => <Address url={hookAddress(baseUrl, one.public_id)} name={nameOf(one)} />
                },
                {
                  name: "Agent",
                  of: ({ agent }) =>
                    agent === null ? (
                      <span className="muted">By the platform&apos;s id</span>
                    ) : (
                      <span className="plain nowrap">{agentName(agent).slice(0, LONGEST)}</span>
                    )
                },
                {
                  name: "Redacts",
                  of: ({ redact_fields }) =>
                    redact_fields.length === 0 ? (
                      <span className="muted">Nothing</span>
                    ) : (
                      <span title={redact_fields.map(words).join(", ")}>
                        {redact_fields.length > 3
                          ? `${redact_fields.length} fields`
                          : redact_fields.map(words).join(", ")}
                      </span>
                    )
                },
                {
                  name: "Metrics",
                  className: "nowrap",
                  of: ({ metric_ids }) => (metric_ids.length === 0 ? "All enabled" : `${metric_ids.length} chosen`)
                }
              ]}
              actions={(one) => (
                <>
                  <button
                    type="button"
                    className="button small"
                    aria-label={`Set up ${nameOf(one)}`}
                    onClick={() => {
                      setOpened({ dialog: "setup", integration: one })
                    }}
                  >
                    Set up
                  </button>
                  {mayManage ? (
                    <>
                      <button
                        type="button"
                        className="button small"
                        aria-label={`Edit ${nameOf(one)}`}
                        onClick={() => {
                          setOpened({ dialog: "edit", integration: one })
                        }}
                      >
                        Edit
                      </button>
                      <button
                        type="button"
                        className="button small"
                        aria-label={`Replace secret of ${nameOf(one)}`}
                        onClick={() => {
                          setOpened({ dialog: "rotate", integration: one })
                        }}
                      >
                        Replace secret
                      </button>
                      <button
                        type="button"
                        className="button small danger"
                        disabled={remove.isPending}
                        aria-label={`Delete ${nameOf(one)}`}
                        onClick={() => {
                          if (confirm(`Delete "${nameOf(one)}"? Its address is refused at once. Its calls are kept.`))
                            remove.mutate(one.id)
                        }}
                      >
                        Delete
                      </button>
                    </>
                  ) : null}
                </>
              )}
            />
          )
        }
      </Loaded>
      {opened === undefined ? null : <Dialogs opened={opened} onOpen={setOpened} />}
    </ItemsCard>
  )
}

const WithKey = () => {
  const agents = useChosenAgent()
  return (
    <section className="card" aria-labelledby="webhooks-title">
      <header>
        <h2 id="webhooks-title">Webhooks with an API key</h2>
        {agents.select}
      </header>
      <div className="body stack">
        <p className="muted">
          Where a platform can send headers: enter its address there, with an API key of the permission{" "}
          <code className="mono">calls:write</code> in the header <code className="mono">X-SERVICE-API-KEY</code>.
        </p>
        <Loaded of={agents.query}>
          {() => (
            <dl className="facts">
              {PLATFORM_NAMES.map(([platform, name]) => (
                <div key={platform}>
                  <dt>{name}</dt>
                  <dd>
                    <Address
                      url={`${baseUrl}/observability/v1/${platform}/observe/?agent_id=${agents.chosen ?? ""}`}
                      name={name}
                    />
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

export const Integrations = () => (
  <>
    <WithSignature />
    <WithKey />
  </>
)
