import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf } from "../api/client.js"
import { dashboardsQuery, projectsQuery } from "../api/dashboards.js"
import { Empty, Loaded } from "../components/Feedback.js"
import { entities, FormDialog, Select, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { ImportDashboard } from "../components/ImportDashboard.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { shortTime } from "../rules/format.js"
import "../styles/dashboards.css"

const NewDashboard = ({ onClose }: { readonly onClose: () => void }) => {
  const projects = useQuery(projectsQuery)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [project, setProject] = useState<number>()
  const chosen = project ?? projects.data?.[0]?.id
  const isChoice = (projects.data?.length ?? 0) > 1
  const create = useMutation({
    mutationFn: () => dataOf(client.POST("/dashboards/dashboards/", { body: { name, project: chosen ?? 0 } })),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ["dashboards"] })
      await navigate({ to: "/dashboards/$id", params: { id: String(id) } })
    }
  })
  return (
    <FormDialog
      title="New dashboard"
      submit="Create"
      error={create.error}
      fields={isChoice ? ["name", "project"] : ["name"]}
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
      {isChoice ? (
        <Select
          name="Project"
          value={chosen}
          options={entities(projects.data)}
          error={fieldMessages(create.error, "project")}
          onChange={(next) => {
            setProject(next ?? undefined)
          }}
        />
      ) : null}
    </FormDialog>
  )
}

export const Dashboards = () => {
  const dashboards = useQuery(dashboardsQuery)
  const [isOpen, setOpen] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const now = new Date()
  return (
    <>
      <div className="page-head">
        <h1>Dashboards</h1>
        <div className="end">
          <button
            type="button"
            className="button"
            onClick={() => {
              setImporting(true)
            }}
          >
            <Icon name="upload" /> Import
          </button>
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
      {isImporting ? (
        <ImportDashboard
          onClose={() => {
            setImporting(false)
          }}
        />
      ) : null}
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
