import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { client, dataOf, type Schemas } from "../../api/client.js"
import { keysQuery } from "../../api/settings.js"
import { DataTable } from "../../components/DataTable.js"
import { Empty, Loaded } from "../../components/Feedback.js"
import { Checks, FormDialog, Select, TextField } from "../../components/Form.js"
import { ItemsCard } from "../../components/ItemsCard.js"
import { useMay } from "../../components/permission.js"
import { Copied, SecretDialog } from "../../components/Secret.js"
import { expiryOf, EXPIRIES, type Expiry, stateOf } from "../../rules/credentials.js"
import { fieldMessages } from "../../rules/fieldErrors.js"
import { shortTime, words } from "../../rules/format.js"

type Scope = Schemas["IssuedApiKey"]["scopes"][number]

const PRESETS: ReadonlyArray<readonly [name: string, scopes: ReadonlyArray<Scope>]> = [
  ["Everything", ["all"]],
  ["Send calls (webhooks)", ["calls:write"]],
  [
    "Read everything of calls, dashboards and results",
    ["calls:read", "dashboards:read", "results:read", "catalog:read"]
  ],
  ["Chosen permissions", []]
]

const CHOSEN = PRESETS.length - 1

const SCOPES: ReadonlyArray<Scope> = [
  ...(["calls:read", "calls:write", "calls:delete", "recordings:read"] as const),
  ...(["dashboards:read", "dashboards:write", "dashboards:delete"] as const),
  ...(["results:read", "results:write", "results:delete"] as const),
  ...(["evaluators:read", "evaluators:write", "evaluators:delete"] as const),
  ...(["catalog:read", "catalog:write", "catalog:delete"] as const),
  ...(["credits:read", "checkouts:create"] as const),
  ...(["connections:manage", "integrations:manage", "jobs:manage", "keys:manage"] as const)
]

const NewKey = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const [name, setName] = useState("")
  const [choice, setChoice] = useState(1)
  const [chosen, setChosen] = useState<ReadonlyArray<Scope>>([])
  const [expiry, setExpiry] = useState<Expiry>("never")
  const scopes = choice === CHOSEN ? chosen : (PRESETS[choice]?.[1] ?? [])
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST("/user/v1/api_keys/", {
          body: { name, scopes: [...scopes], expires_at: expiryOf(expiry, new Date()) }
        })
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  if (create.data !== undefined && "api_key" in create.data) {
    return (
      <SecretDialog title="New API key" onClose={onClose}>
        <p>Copy the key now: it is not shown again.</p>
        <Copied name="API key" value={create.data.api_key} />
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      title="New API key"
      submit="Create"
      error={create.error}
      fields={["name", "scopes", "expires_at"]}
      isPending={create.isPending}
      isComplete={name.trim() !== "" && scopes.length > 0}
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
        {PRESETS.map(([label], index) => (
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
      {choice === CHOSEN ? (
        <Checks
          name="Chosen permissions"
          options={SCOPES.map((scope) => [scope, scope])}
          value={chosen}
          error={fieldMessages(create.error, "scopes")}
          onChange={setChosen}
        />
      ) : null}
      <Select
        name="Expires"
        value={expiry}
        options={EXPIRIES}
        error={fieldMessages(create.error, "expires_at")}
        onChange={(next) => {
          setExpiry(next ?? "never")
        }}
      />
    </FormDialog>
  )
}

export const Keys = () => {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const mayManage = useMay("keys:manage")
  const keys = useInfiniteQuery(keysQuery)
  const revoke = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/user/v1/api_keys/{id}/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  const now = new Date()
  return (
    <ItemsCard
      title="API keys"
      add="New key"
      onAdd={
        mayManage
          ? () => {
              setOpen(true)
            }
          : undefined
      }
      error={revoke.error}
    >
      <Loaded of={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No API keys yet" />
          ) : (
            <DataTable
              label="API keys"
              rows={all}
              more={keys}
              columns={[
                { name: "Name", className: "wide strong plain", of: ({ name }) => name },
                { name: "Key", className: "mono", of: ({ hint }) => hint },
                {
                  name: "Permissions",
                  of: ({ scopes }) => (scopes.length > 3 ? `${scopes.length} permissions` : scopes.join(", "))
                },
                { name: "Created (UTC)", className: "nowrap", of: (key) => shortTime(key.created_at, now) },
                {
                  name: "Expires (UTC)",
                  className: "nowrap",
                  of: (key) => (key.expires_at === null ? "Never" : shortTime(key.expires_at, now))
                },
                {
                  name: "State",
                  of: (key) => {
                    const state = stateOf(key, now)
                    return <span className={`pill ${state === "active" ? "good" : ""}`}>{words(state)}</span>
                  }
                }
              ]}
              actions={(key) =>
                mayManage && stateOf(key, now) === "active" ? (
                  <button
                    type="button"
                    className="button small danger"
                    disabled={revoke.isPending}
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => {
                      if (confirm(`Revoke "${key.name}"? Requests with it are refused at once.`)) revoke.mutate(key.id)
                    }}
                  >
                    Revoke
                  </button>
                ) : null
              }
            />
          )
        }
      </Loaded>
      {isOpen ? (
        <NewKey
          onClose={() => {
            setOpen(false)
          }}
        />
      ) : null}
    </ItemsCard>
  )
}
