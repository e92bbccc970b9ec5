/** Connections to code hosts, of which one is active. */
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { client, dataOf } from "../../api/client.js"
import { type CodeConnection, connectionsQuery } from "../../api/settings.js"
import { DataTable } from "../../components/DataTable.js"
import { useDraft } from "../../components/draft.js"
import { DraftDialog, useDraftForm } from "../../components/DraftForm.js"
import { Empty, Loaded } from "../../components/Feedback.js"
import { SecretField, Select, TextArea, TextField } from "../../components/Form.js"
import { ItemsCard } from "../../components/ItemsCard.js"
import { useMay } from "../../components/permission.js"
import { HOST_NAMES, hostName, HOSTS, isComplete, NEW_CONNECTION, settingsOf } from "../../rules/connections.js"
import { shortTime, words } from "../../rules/format.js"

const NewConnection = ({ onClose }: { readonly onClose: () => void }) => {
  const draft = useDraft("connection new", NEW_CONNECTION)
  const [secret, setSecret] = useState("")
  const host = HOSTS[draft.value.host]
  const edit = useDraftForm(draft, {
    save: (form) =>
      dataOf(
        client.POST("/repohost/connections/", {
          body: {
            host: form.host,
            name: form.name,
            settings: settingsOf(form),
            ...(host.secret === undefined ? {} : { secret })
          }
        })
      ),
    list: "connections",
    onSaved: onClose
  })
  const { at, bind, form, set } = edit
  const secretField =
    host.secret === undefined
      ? null
      : { name: host.secret.name, hint: host.secret.hint, value: secret, error: at("secret"), onChange: setSecret }
  return (
    <DraftDialog
      of={edit}
      title="New code connection"
      submit="Create"
      fields={["host", "name", "secret", ...host.settings.map(({ key }) => `settings.${key}`)]}
      isComplete={isComplete(form, secret)}
      onClose={onClose}
    >
      <Select
        name="Code host"
        value={form.host}
        options={HOST_NAMES}
        error={at("host")}
        onChange={(next) => {
          set({ host: next ?? "github" })
          setSecret("")
        }}
      />
      <ol className="steps">
        {host.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <TextField name="Name" maxLength={255} {...bind("name")} />
      {host.settings.map(({ hint, key, name }) => (
        <TextField
          key={key}
          name={name}
          hint={hint}
          value={form.settings[key] ?? ""}
          error={at(`settings.${key}`)}
          onChange={(value) => {
            set({ settings: { ...form.settings, [key]: value } })
          }}
        />
      ))}
      {secretField === null ? null : host.secret?.isLong === true ? (
        <TextArea {...secretField} rows={4} isCode />
      ) : (
        <SecretField {...secretField} />
      )}
    </DraftDialog>
  )
}

const TONES = { active: "good", inactive: "", revoked: "" } as const

const nameOf = ({ host, name }: CodeConnection): string => (name === "" ? hostName(host) : name)

const settingsText = ({ settings }: CodeConnection): string =>
  Object.entries(settings)
    .map(([key, value]) => `${words(key)}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("; ")

export const Connections = () => {
  const queries = useQueryClient()
  const mayManage = useMay("connections:manage")
  const connections = useInfiniteQuery(connectionsQuery)
  const [isOpen, setOpen] = useState(false)
  const path = (id: number) => ({ params: { path: { id } } })
  const onSettled = () => queries.invalidateQueries({ queryKey: ["connections"] })
  const test = useMutation({
    mutationFn: (id: number) => dataOf(client.POST("/repohost/connections/{id}/test/", path(id))),
    onSettled
  })
  const activate = useMutation({
    mutationFn: (id: number) => dataOf(client.POST("/repohost/connections/{id}/activate/", path(id))),
    onSettled
  })
  const revoke = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/repohost/connections/{id}/", path(id))),
    onSettled
  })
  const failed = test.error ?? activate.error ?? revoke.error
  const isPending = test.isPending || activate.isPending || revoke.isPending
  const now = new Date()
  return (
    <ItemsCard
      title="Code connections"
      add="New connection"
      onAdd={
        mayManage
          ? () => {
              setOpen(true)
            }
          : undefined
      }
      error={failed}
    >
      <Loaded of={connections}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No code connections yet">
              <p>
                Testing agents read the code of a connected host with tokens for one repository, read-only, for an hour.
              </p>
            </Empty>
          ) : (
            <DataTable
              label="Code connections"
              rows={all}
              more={connections}
              columns={[
                {
                  name: "Name",
                  className: "wide",
                  of: (one) => (
                    <>
                      <span className="strong plain">{nameOf(one)}</span>
                      <div className="muted small plain">{settingsText(one)}</div>
                    </>
                  )
                },
                { name: "Code host", of: ({ host }) => hostName(host) },
                { name: "State", of: ({ state }) => <span className={`pill ${TONES[state]}`}>{words(state)}</span> },
                {
                  name: "Last check (UTC)",
                  className: "wide",
                  of: ({ test_error, tested_at }) =>
                    tested_at === null ? (
                      <span className="muted">Never</span>
                    ) : (
                      <>
                        <span className="nowrap">{shortTime(tested_at, now)}</span>{" "}
                        {test_error === null ? (
                          <span className="pill good">Works</span>
                        ) : (
                          <div className="field-error plain">{test_error}</div>
                        )}
                      </>
                    )
                }
              ]}
              actions={(one) =>
                mayManage && one.state !== "revoked" ? (
                  <>
                    <button
                      type="button"
                      className="button small"
                      disabled={isPending}
                      aria-label={`Check ${nameOf(one)}`}
                      onClick={() => {
                        test.mutate(one.id)
                      }}
                    >
                      Check
                    </button>
                    {one.state === "active" ? null : (
                      <button
                        type="button"
                        className="button small"
                        disabled={isPending}
                        aria-label={`Activate ${nameOf(one)}`}
                        onClick={() => {
                          activate.mutate(one.id)
                        }}
                      >
                        Activate
                      </button>
                    )}
                    <button
                      type="button"
                      className="button small danger"
                      disabled={isPending}
                      aria-label={`Revoke ${nameOf(one)}`}
                      onClick={() => {
                        if (confirm(`Revoke "${nameOf(one)}"? Its tokens end, and it cannot be activated again.`))
                          revoke.mutate(one.id)
                      }}
                    >
                      Revoke
                    </button>
                  </>
                ) : null
              }
            />
          )
        }
      </Loaded>
      {isOpen ? (
        <NewConnection
          onClose={() => {
            setOpen(false)
          }}
        />
      ) : null}
    </ItemsCard>
  )
}
