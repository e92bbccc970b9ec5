import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf } from "../api/client.js"
import { type Evaluator, type EvaluatorSelection, evaluatorsQuery, type Folder, foldersQuery } from "../api/tests.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { FormDialog, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { useMay } from "../components/permission.js"
import { ProjectSelect, RowActions, TestsHead, useProject } from "../components/TestPages.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { shortTime, words } from "../rules/format.js"
import "../styles/results.css"
import "../styles/tests.css"

const path = (id: number) => ({ path: { id } })

/** Creates a folder, or renames or moves one. */
const FolderDialog = ({
  folder,
  within,
  project,
  onSaved,
  onClose
}: {
  readonly folder: Folder | undefined
  /** The path of the folder that a new one is in; blank for none. */
  readonly within: string
  readonly project: number
  readonly onSaved: (path: string) => void
  readonly onClose: () => void
}) => {
  const queries = useQueryClient()
  const [name, setName] = useState(folder?.path ?? (within === "" ? "" : `${within}.`))
  const save = useMutation({
    mutationFn: async () => {
      if (folder === undefined) {
        await dataOf(client.POST("/test_framework/v1/folders/", { body: { project, path: name } }))
      } else {
        await dataOf(
          client.PATCH("/test_framework/v1/folders/{id}/", { params: path(folder.id), body: { path: name } })
        )
      }
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["folders"] })
      await queries.invalidateQueries({ queryKey: ["evaluators"] })
      onSaved(name)
      onClose()
    }
  })
  return (
    <FormDialog
      title={folder === undefined ? "New folder" : "Rename or move the folder"}
      submit={folder === undefined ? "Create" : "Save"}
      error={save.error}
      fields={["path"]}
      isPending={save.isPending}
      isComplete={name.trim() !== ""}
      onSubmit={() => {
        save.mutate()
      }}
      onClose={onClose}
    >
      <TextField
        name="Path"
        hint="Names joined by dots, such as smoke.nightly. The folders around it must exist."
        value={name}
        maxLength={500}
        error={fieldMessages(save.error, "path")}
        onChange={setName}
      />
    </FormDialog>
  )
}

const FolderList = ({ folders }: { readonly folders: ReadonlyArray<Folder> }) => {
  const entry = (to: string | undefined, name: string, depth: number) => (
    <Link
      key={to ?? "all"}
      to="/evaluators"
      search={(before) => ({ ...before, folder: to })}
      activeOptions={{ exact: true }}
      className="folder plain"
      style={{ paddingLeft: 8 + 14 * Math.min(depth, 6) }}
      title={to}
    >
      {name}
    </Link>
  )
  return (
    <nav className="card folders" aria-label="Folders">
      {entry(undefined, "All evaluators", 0)}
      {entry("", "In no folder", 0)}
      {folders.map(({ path: to }) => {
        const names = to.split(".")
        return entry(to, names.at(-1) ?? to, names.length - 1)
      })}
    </nav>
  )
}

const Row = ({
  evaluator,
  now,
  onDelete
}: {
  readonly evaluator: Evaluator
  readonly now: Date
  readonly onDelete: (() => void) | undefined
}) => (
  <tr>
    <td className="wide">
      <Link to="/evaluators/$id" params={{ id: String(evaluator.id) }} search={{}} className="strong plain">
        {evaluator.name}
      </Link>
      <div className="muted small plain">
        {[evaluator.folder_path, evaluator.agent_name].filter((part) => part !== "").join(" · ")}
      </div>
    </td>
    <td className="nowrap">{words(evaluator.scenario_type)}</td>
    <td className="plain">{evaluator.personality_name ?? "–"}</td>
    <td>
      <div className="tag-list">
        {evaluator.tags.map((tag) => (
          <span key={tag} className="pill plain truncate">
            {tag}
          </span>
        ))}
      </div>
    </td>
    <td className="nowrap">{shortTime(evaluator.updated_at, now)}</td>
    <td className="actions">
      <RowActions of={evaluator} consequence="" onDelete={onDelete} />
    </td>
  </tr>
)

const EvaluatorTable = ({
  selection,
  isReady
}: {
  readonly selection: EvaluatorSelection
  readonly isReady: boolean
}) => {
  const queries = useQueryClient()
  const evaluators = useInfiniteQuery({ ...evaluatorsQuery(selection), enabled: isReady })
  const mayDelete = useMay("evaluators:delete")
  const remove = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/test_framework/v1/scenarios/{id}/", { params: path(id) })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["evaluators"] })
  })
  const now = new Date()
  return (
    <section className="card" aria-label="Evaluators">
      {remove.error === null ? null : <ErrorNotice error={remove.error} />}
      <Loaded of={evaluators}>
        {({ pages }) => {
          const all = pages.flatMap(({ results }) => results)
          return all.length === 0 ? (
            <Empty title={selection.search === undefined ? "No evaluators here" : "No evaluators match"}>
              <p>An evaluator is a test case: how a simulated caller behaves, and the expected outcome of the call.</p>
            </Empty>
          ) : (
            <>
              <div className="table-scroll" role="region" aria-label="Evaluators" tabIndex={0}>
                <table className="table">
                  <thead>
                    <tr>
                      <th>Name</th>
                      <th>Type</th>
                      <th>Personality</th>
                      <th>Tags</th>
                      <th>Changed (UTC)</th>
                      <th>
                        <span className="sr-only">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.map((evaluator) => (
                      <Row
                        key={evaluator.id}
                        evaluator={evaluator}
                        now={now}
                        onDelete={
                          mayDelete
                            ? () => {
                                remove.mutate(evaluator.id)
                              }
                            : undefined
                        }
                      />
                    ))}
                  </tbody>
                </table>
              </div>
              {evaluators.hasNextPage ? (
                <div className="body">
                  <button
                    type="button"
                    className="button"
                    disabled={evaluators.isFetchingNextPage}
                    onClick={() => void evaluators.fetchNextPage()}
                  >
                    Show more
                  </button>
                </div>
              ) : null}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

/** What can be done with the chosen folder, and with folders at all. */
const FolderActions = ({
  folders,
  folder,
  project
}: {
  readonly folders: ReadonlyArray<Folder>
  readonly folder: string | undefined
  readonly project: number
}) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [editing, setEditing] = useState<Folder | "new">()
  const [mayWrite, mayDelete] = [useMay("catalog:write"), useMay("catalog:delete")]
  const show = (next: string | undefined) => {
    void navigate({ to: "/evaluators", search: (before) => ({ ...before, folder: next }) })
  }
  const remove = useMutation({
    mutationFn: ({ id }: Folder) => dataOf(client.DELETE("/test_framework/v1/folders/{id}/", { params: path(id) })),
    onSuccess: () => {
      show(undefined)
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["folders"] })
      await queries.invalidateQueries({ queryKey: ["evaluators"] })
    }
  })
  const chosen = folders.find((one) => one.path === folder)
  return (
    <>
      {mayWrite ? (
        <button
          type="button"
          className="button small"
          onClick={() => {
            setEditing("new")
          }}
        >
          New folder
        </button>
      ) : null}
      {mayWrite && chosen !== undefined ? (
        <button
          type="button"
          className="button small"
          onClick={() => {
            setEditing(chosen)
          }}
        >
          Rename
        </button>
      ) : null}
      {mayDelete && chosen !== undefined ? (
        <button
          type="button"
          className="button small danger"
          disabled={remove.isPending}
          onClick={() => {
            if (confirm(`Delete the folder "${chosen.path}"? Its evaluators move to the folder around it.`))
              remove.mutate(chosen)
          }}
        >
          Delete folder
        </button>
      ) : null}
      {remove.error === null ? null : <ErrorNotice error={remove.error} />}
      {editing === undefined ? null : (
        <FolderDialog
          folder={editing === "new" ? undefined : editing}
          within={folder ?? ""}
          project={project}
          onSaved={show}
          onClose={() => {
            setEditing(undefined)
          }}
        />
      )}
    </>
  )
}

export const Evaluators = () => {
  const navigate = useNavigate()
  const selection = useSearch({ from: "/app/evaluators" })
  const project = useProject(selection.project)
  const folders = useQuery(foldersQuery(project.chosen))
  const [search, setSearch] = useState(selection.search ?? "")
  const mayWrite = useMay("evaluators:write")
  const find = () => {
    void navigate({ to: "/evaluators", search: { ...selection, search: search.trim() === "" ? undefined : search } })
  }
  return (
    <>
      <TestsHead path="/evaluators">
        <ProjectSelect
          project={project}
          onChange={(next) => {
            void navigate({ to: "/evaluators", search: { project: next } })
          }}
        />
        {mayWrite ? (
          <Link
            to="/evaluators/$id"
            params={{ id: "new" }}
            search={{ project: project.chosen, folder: selection.folder }}
            className="button primary"
          >
            <Icon name="plus" /> New evaluator
          </Link>
        ) : null}
      </TestsHead>
      <div className="page">
        <div className="tests">
          <FolderList folders={folders.data ?? []} />
          <div className="stack">
            <div className="row wrap">
              <form
                role="search"
                className="row"
                onSubmit={(event) => {
                  event.preventDefault()
                  find()
                }}
              >
                <input
                  type="search"
                  className="input search"
                  aria-label="Search names and instructions"
                  placeholder="Search names and instructions"
                  value={search}
                  onChange={(event) => {
                    setSearch(event.target.value)
                  }}
                />
                <button type="submit" className="button">
                  Search
                </button>
              </form>
              {project.chosen === undefined ? null : (
                <FolderActions folders={folders.data ?? []} folder={selection.folder} project={project.chosen} />
              )}
            </div>
            {folders.error === null ? null : (
              <ErrorNotice error={folders.error} onRetry={() => void folders.refetch()} />
            )}
            <EvaluatorTable
              selection={{ ...selection, project: project.chosen }}
              isReady={project.query.data !== undefined || project.query.error !== null}
            />
          </div>
        </div>
      </div>
    </>
  )
}
