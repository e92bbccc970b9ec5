import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf } from "../api/client.js"
import { dashboardsQuery, projectsQuery } from "../api/dashboards.js"
import { Dialog } from "../components/Dialog.js"
import { Empty, ErrorNotice, fieldMessages, Loaded } from "../components/Feedback.js"
import { Icon } from "../components/Icon.js"
import { shortTime } from "../rules/format.js"
import "../styles/dashboards.css"

const NewDashboard = ({ onClose }: { readonly onClose: () => void }) => {
  const projects = useQuery(projectsQuery)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [project, setProject] = useState<number>()
  const chosen = project ?? projects.data?.[0]?.id
  const create = useMutation({
    mutationFn: () => dataOf(client.POST("/dashboards/dashboards/", { body: { name, project: chosen ?? 0 } })),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ["dashboards"] })
      await navigate({ to: "/dashboards/$id", params: { id: String(id) } })
    }
  })
  return (
    <Dialog title="New dashboard" onClose={onClose} narrow>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <label className="field">
          <span className="label">Name</span>
          <input
            className="input"
            value={name}
            maxLength={255}
            required
            onChange={(event) => {
              setName(event.target.value)
            }}
          />
          <span className="field-error">{fieldMessages(create.error, "name")}</span>
        </label>
        {(projects.data?.length ?? 0) > 1 ? (
          <label className="field">
            <span className="label">Project</span>
            <select
              className="input"
              value={chosen}
              onChange={(event) => {
                setProject(Number(event.target.value))
              }}
            >
              {projects.data?.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {create.error === null || fieldMessages(create.error, "name") !== undefined ? null : (
          <ErrorNotice error={create.error} />
        )}
        <footer>
          <button type="submit" className="button primary" disabled={create.isPending || name.trim() === ""}>
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

export const Dashboards = () => {
  const dashboards = useQuery(dashboardsQuery)
  const [isOpen, setOpen] = useState(false)
  const now = new Date()
  return (
    <>
      <div className="page-head">
        <h1>Dashboards</h1>
        <div className="end">
          <button
            type="button"
            className="button primary"
            onClick={() => {
              setOpen(true)
            }}
          >
            <Icon name="plus" /> New dashboard
          </button>
        </div>
      </div>
      <div className="page">
        <Loaded of={dashboards}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No dashboards yet">
                <p>A dashboard shows charts of the calls that match its filter.</p>
              </Empty>
            ) : (
              <ul className="cards">
                {all.map(({ id, name, updated_at, widget_count }) => (
                  <li key={id}>
                    <Link to="/dashboards/$id" params={{ id: String(id) }} className="card dashboard-card">
                      <strong className="plain">{name}</strong>
                      <span className="muted">
                        {widget_count} {widget_count === 1 ? "widget" : "widgets"} · changed{" "}
                        {shortTime(updated_at, now)}
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      {isOpen ? (
        <NewDashboard
          onClose={() => {
            setOpen(false)
          }}
        />
      ) : null}
    </>
  )
}
