/** Links to a dashboard: new ones, and those in force, which can be revoked. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { basePath, client, type Dashboard, dataOf, items, type Schemas } from "../api/client.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { fullTime } from "../rules/format.js"
import { expiryAfter, frameOf, shareAddress } from "../rules/share.js"
import { Dialog } from "./Dialog.js"
import { ErrorNotice, Loaded } from "./Feedback.js"
import { FormError, Select, TextField } from "./Form.js"

type Link = Schemas["ShareableLinkPage"]["results"][number]

const DAYS: ReadonlyArray<readonly [number, string]> = [
  [1, "1 day"],
  [7, "7 days"],
  [30, "30 days"],
  [365, "1 year"]
]

const isInForce = ({ expires_at, revoked_at }: Link): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now())

const isFor = ({ bounds }: Link, dashboard: number): boolean =>
  bounds.some(({ id, type }) => type === "dashboard" && id === dashboard)

const linksQuery = (dashboard: number) => ({
  queryKey: ["links", "dashboard", dashboard],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const found: Array<Link> = []
    for await (const link of items(client, "/user/v1/shareable_links/", { query: { limit: 200 }, signal })) {
      if (isFor(link, dashboard) && isInForce(link)) found.push(link)
    }
    return found
  }
})

const LinksInForce = ({ dashboard }: { readonly dashboard: number }) => {
  const queries = useQueryClient()
  const links = useQuery(linksQuery(dashboard))
  const revoke = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/user/v1/shareable_links/{id}/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["links"] })
  })
  return (
    <section className="stack">
      <h3>Links in force</h3>
      {revoke.error === null ? null : <ErrorNotice error={revoke.error} />}
      <Loaded of={links} rows={2}>
        {(found) =>
          found.length === 0 ? (
            <p className="muted">None.</p>
          ) : (
            <ul aria-label="Links in force" className="stack">
              {found.map((link) => (
                <li key={link.id} className="row spread">
                  <span className="truncate plain">
                    {link.name === "" ? link.hint : link.name}{" "}
                    <span className="muted">
                      {link.expires_at === null ? "without end" : `until ${fullTime(link.expires_at)}`}
                    </span>
                  </span>
                  <button
                    type="button"
                    className="button quiet small danger"
                    aria-label={`Revoke ${link.name === "" ? link.hint : link.name}`}
                    disabled={revoke.isPending}
                    onClick={() => {
                      revoke.mutate(link.id)
                    }}
                  >
                    Revoke
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

const Created = ({ address }: { readonly address: string }) => (
  <div className="notice good stack" role="status">
    <p>The link is shown only now. Anyone who has it can see this dashboard until it expires or is revoked.</p>
    <label className="field">
      <span className="label">Link</span>
      <input className="input mono" readOnly value={address} />
    </label>
    <label className="field">
      <span className="label">For a page that shows it in a frame</span>
      <textarea className="input mono" rows={3} readOnly value={frameOf(address)} />
      <span className="hint">The server has to allow the page&apos;s origin: earshot serve --allow-origin.</span>
    </label>
  </div>
)

export const ShareDialog = ({
  dashboard,
  onClose
}: {
  readonly dashboard: Dashboard
  readonly onClose: () => void
}) => {
  const queries = useQueryClient()
  const [name, setName] = useState("")
  const [days, setDays] = useState<number | null>(30)
  const [hasValues, setHasValues] = useState(true)
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST("/user/v1/shareable_links/", {
          body: {
            name,
            permissions: hasValues ? ["dashboards:read", "calls:read"] : ["dashboards:read"],
            bounds: [{ type: "dashboard", id: dashboard.id }],
            expires_at: expiryAfter(days, Date.now())
          }
        })
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["links"] })
  })
  return (
    <Dialog title={`Share ${dashboard.name}`} narrow onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField
          name="For whom"
          value={name}
          maxLength={255}
          placeholder="Board meeting"
          error={fieldMessages(create.error, "name")}
          onChange={setName}
        />
        <Select
          name="Valid for"
          value={days}
          options={DAYS}
          none="Until it is revoked"
          error={fieldMessages(create.error, "expires_at")}
          onChange={setDays}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={hasValues}
            onChange={() => {
              setHasValues(!hasValues)
            }}
          />
          <span>Show values of calls, not only how many calls there are</span>
        </label>
        <FormError error={create.error} fields={["name", "expires_at"]} />
        <div>
          <button type="submit" className="button primary" disabled={create.isPending}>
            Create link
          </button>
        </div>
      </form>
      {create.data === undefined ? null : "token" in create.data ? (
        <Created address={shareAddress(`${location.origin}${basePath}`, dashboard.id, create.data.token)} />
      ) : null}
      <LinksInForce dashboard={dashboard.id} />
    </Dialog>
  )
}
