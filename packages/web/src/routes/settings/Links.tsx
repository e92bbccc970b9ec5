/** Shareable links: who has one opens a dashboard without signing in. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { baseUrl, client, dataOf } from "../../api/client.js"
import { dashboardsQuery } from "../../api/dashboards.js"
import { linksQuery, type Permission, type ShareableLink } from "../../api/settings.js"
import { DataTable } from "../../components/DataTable.js"
import { Empty, Loaded } from "../../components/Feedback.js"
import { Checks, entities, FormDialog, Select, TextField } from "../../components/Form.js"
import { ItemsCard } from "../../components/ItemsCard.js"
import { useMay } from "../../components/permission.js"
import { Copied, SecretDialog } from "../../components/Secret.js"
import { EXPIRIES, type Expiry, expiryOf, stateOf } from "../../rules/credentials.js"
import { fieldMessages } from "../../rules/fieldErrors.js"
import { shortTime, words } from "../../rules/format.js"
import { shareAddress } from "../../rules/share.js"

/** What a link can permit beside showing its dashboard. */
const ACTIONS: ReadonlyArray<readonly [Permission, string]> = [
  ["dashboards:write", "Change the dashboard and its widgets"],
  ["dashboards:delete", "Delete the dashboard and its widgets"]
]

const NewLink = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const dashboards = useQuery(dashboardsQuery)
  const [name, setName] = useState("")
  const [chosen, setDashboard] = useState<number | null>(null)
  const [actions, setActions] = useState<ReadonlyArray<Permission>>([])
  const [expiry, setExpiry] = useState<Expiry>("30")
  const dashboard = chosen ?? dashboards.data?.[0]?.id
  const create = useMutation({
    mutationFn: async (id: number) => ({
      id,
      link: await dataOf(
        client.POST("/user/v1/shareable_links/", {
          body: {
            name,
            permissions: ["dashboards:read", ...actions],
            bounds: [{ type: "dashboard", id }],
            expires_at: expiryOf(expiry, new Date())
          }
        })
      )
    }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["links"] })
  })
  if (create.data !== undefined && "token" in create.data.link) {
    const { id, link } = create.data
    return (
      <SecretDialog title="New link" onClose={onClose}>
        <p>Copy the address now: it is not shown again. Anyone who has it can open the dashboard until it expires.</p>
        <Copied name="Address" value={shareAddress(baseUrl, id, link.token)} />
        <p className="muted small">
          For programs: the secret after <code className="mono">#link=</code>, in the header{" "}
          <code className="mono">X-SHAREABLE-LINK</code>.
        </p>
      </SecretDialog>
    )
  }
  const at = (field: string) => fieldMessages(create.error, field)
  return (
    <FormDialog
      title="New link"
      submit="Create"
      error={create.error}
      fields={["name", "bounds", "permissions", "expires_at"]}
      isPending={create.isPending}
      isComplete={dashboard !== undefined}
      onSubmit={() => {
        if (dashboard !== undefined) create.mutate(dashboard)
      }}
      onClose={onClose}
    >
      <TextField
        name="Name"
        hint="Who gets it, to find it in the list."
        value={name}
        maxLength={255}
        error={at("name")}
        onChange={setName}
      />
      <Select
        name="Dashboard"
        value={dashboard}
        options={entities(dashboards.data)}
        error={dashboards.data?.length === 0 ? "Create a dashboard first." : at("bounds")}
        onChange={setDashboard}
      />
      <Checks
        name="In addition to showing it"
        options={ACTIONS}
        value={actions}
        error={at("permissions")}
        onChange={setActions}
      />
      <Select
        name="Expires"
        value={expiry}
        options={EXPIRIES}
        error={at("expires_at")}
        onChange={(next) => {
          setExpiry(next ?? "30")
        }}
      />
    </FormDialog>
  )
}

const Bounds = ({ of, names }: { readonly of: ShareableLink["bounds"]; readonly names: ReadonlyMap<number, string> }) =>
  of.map(({ id, type }) => (
    <div key={`${type} ${id}`}>
      {type === "dashboard" && names.has(id) ? (
        <Link to="/dashboards/$id" params={{ id: String(id) }} className="link plain">
          {names.get(id)}
        </Link>
      ) : (
        `${words(type)} ${id}`
      )}
    </div>
  ))

export const Links = () => {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const mayManage = useMay("keys:manage")
  const links = useInfiniteQuery(linksQuery)
  const dashboards = useQuery(dashboardsQuery)
  const names = new Map(dashboards.data?.map(({ id, name }) => [id, name]))
  const revoke = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/user/v1/shareable_links/{id}/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["links"] })
  })
  const now = new Date()
  return (
    <ItemsCard
      title="Shareable links"
      add="New link"
      onAdd={
        mayManage
          ? () => {
              setOpen(true)
            }
          : undefined
      }
      error={revoke.error}
    >
      <Loaded of={links}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No links yet">
              <p>A link opens one dashboard without signing in, until it expires or is revoked.</p>
            </Empty>
          ) : (
            <DataTable
              label="Shareable links"
              rows={all}
              more={links}
              columns={[
                {
                  name: "Name",
                  className: "wide strong plain",
                  of: ({ name }) => (name === "" ? <span className="muted">No name</span> : name)
                },
                { name: "Opens", of: ({ bounds }) => <Bounds of={bounds} names={names} /> },
                { name: "Permissions", of: ({ permissions }) => permissions.join(", ") },
                { name: "Secret", className: "mono", of: ({ hint }) => hint },
                {
                  name: "Expires (UTC)",
                  className: "nowrap",
                  of: (link) => (link.expires_at === null ? "Never" : shortTime(link.expires_at, now))
                },
                {
                  name: "State",
                  of: (link) => {
                    const state = stateOf(link, now)
                    return <span className={`pill ${state === "active" ? "good" : ""}`}>{words(state)}</span>
                  }
                }
              ]}
              actions={(link) =>
                mayManage && stateOf(link, now) === "active" ? (
                  <button
                    type="button"
                    className="button small danger"
                    disabled={revoke.isPending}
                    aria-label={`Revoke ${link.name === "" ? link.hint : link.name}`}
                    onClick={() => {
                      if (confirm("Revoke this link? It stops working at once.")) revoke.mutate(link.id)
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
        <NewLink
          onClose={() => {
            setOpen(false)
          }}
        />
      ) : null}
    </ItemsCard>
  )
}
