/** A dashboard from a file that Export wrote: all of it is created, or nothing. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf, EarshotError, items, type Schemas } from "../api/client.js"
import { projectsQuery, wireFilter } from "../api/dashboards.js"
import { fieldsWithIds, readFile, type WidgetInFile } from "../rules/dashboardFile.js"
import { messageOf } from "./Feedback.js"
import { entities, FormDialog, Select, TextField } from "./Form.js"

/** A widget that could not be created. */
class WidgetFailed extends Error {
  constructor(position: number, name: string, reason: string) {
    super(`Widget ${position + 1}${name === "" ? "" : ` (${name})`}: ${reason}`)
  }
}

const metricIds = async (project: number): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>()
  for await (const { id, name } of items(client, "/test_framework/v1/metrics/", { query: { project, limit: 200 } })) {
    if (!found.has(name)) found.set(name, id)
  }
  return found
}

/** The body that creates a widget. The server checks every field. */
const draftOf = (
  { filters, metric_name, ...widget }: WidgetInFile,
  dashboard: number,
  metrics: ReadonlyMap<string, number>
): Schemas["WidgetDraft"] => {
  const metric = metric_name === null ? null : metrics.get(metric_name)
  if (metric === undefined) throw new Error(`The project has no metric ${String(metric_name)}.`)
  // eslint-disable-next-line typescript/consistent-type-assertions -- what a file has, whose words are checked by the server
  return { ...widget, dashboard, metric, filters: wireFilter(filters) } as Schemas["WidgetDraft"]
}

const create = async (text: string, name: string, project: number): Promise<number> => {
  const file = readFile(text)
  if ("error" in file) throw new Error(file.error)
  const { filters, widgets } = file.dashboard
  const metrics = widgets.some(({ metric_name }) => metric_name !== null)
    ? await metricIds(project)
    : new Map<string, number>()
  const { id } = await dataOf(
    client.POST("/dashboards/dashboards/", { body: { name, project, filters: wireFilter(filters) } })
  )
  for (const [position, widget] of widgets.entries()) {
    try {
      await dataOf(client.POST("/dashboards/widgets/", { body: draftOf(widget, id, metrics) }))
    } catch (error) {
      await dataOf(client.DELETE("/dashboards/dashboards/{id}/", { params: { path: { id } } }))
      const reason = error instanceof EarshotError || !(error instanceof Error) ? messageOf(error) : error.message
      throw new WidgetFailed(position, widget.name, reason)
    }
  }
  return id
}

/** Why the import failed, where no field of the form says so. */
const Failure = ({ error }: { readonly error: Error | null }) =>
  error === null || error instanceof EarshotError ? null : (
    <p className="notice bad plain" role="alert">
      {error instanceof TypeError ? messageOf(error) : error.message}
    </p>
  )

export const ImportDashboard = ({ onClose }: { readonly onClose: () => void }) => {
  const projects = useQuery(projectsQuery)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [text, setText] = useState("")
  const [name, setName] = useState("")
  const [project, setProject] = useState<number>()
  const chosen = project ?? projects.data?.[0]?.id
  const file = text.trim() === "" ? undefined : readFile(text)
  const dashboard = file !== undefined && "dashboard" in file ? file.dashboard : undefined
  const problem = file !== undefined && "error" in file ? file.error : undefined
  const ids = dashboard === undefined ? [] : fieldsWithIds(dashboard)
  const read = (given: string) => {
    setText(given)
    const known = readFile(given)
    if ("dashboard" in known) setName(known.dashboard.name)
  }
  const save = useMutation({
    mutationFn: () => create(text, name, chosen ?? 0),
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ["dashboards"] })
      await navigate({ to: "/dashboards/$id", params: { id: String(id) } })
    }
  })
  const { error } = save
  return (
    <FormDialog
      title="Import a dashboard"
      submit="Import"
      error={error instanceof EarshotError ? error : null}
      fields={[]}
      isPending={save.isPending}
      isComplete={dashboard !== undefined && name.trim() !== "" && chosen !== undefined}
      onSubmit={() => {
        save.mutate()
      }}
      onClose={onClose}
    >
      <label className="field">
        <span className="label">File</span>
        <input
          type="file"
          className="input"
          accept="application/json,.json"
          onChange={(event) => {
            void event.target.files?.[0]?.text().then(read)
          }}
        />
      </label>
      <label className="field">
        <span className="label">Or its JSON</span>
        <textarea
          className="input mono"
          rows={8}
          spellCheck={false}
          value={text}
          aria-invalid={problem !== undefined}
          onChange={(event) => {
            read(event.target.value)
          }}
        />
        {problem === undefined ? null : (
          <span className="field-error plain" role="alert">
            {problem}
          </span>
        )}
      </label>
      <TextField name="Name" value={name} maxLength={255} onChange={setName} />
      {(projects.data?.length ?? 0) > 1 ? (
        <Select
          name="Project"
          value={chosen}
          options={entities(projects.data)}
          onChange={(next) => {
            setProject(next ?? undefined)
          }}
        />
      ) : null}
      {ids.length === 0 ? null : (
        <p className="notice warn plain">
          Filters contain ids of the project that the file was exported from, in {ids.join(", ")}. Check them after the
          import.
        </p>
      )}
      <Failure error={error} />
    </FormDialog>
  )
}
