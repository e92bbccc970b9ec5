import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { agentsQuery } from "../api/calls.js"
import { client, dataOf } from "../api/client.js"
import { profilesQuery, type TestProfile } from "../api/tests.js"
import { DataTable } from "../components/DataTable.js"
import { useDraft } from "../components/draft.js"
import { DraftDialog, useDraftForm } from "../components/DraftForm.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { entities, Select, TextArea, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { useMay } from "../components/permission.js"
import { ProjectSelect, RowActions, TestsHead, useProject } from "../components/TestPages.js"
import { shortTime } from "../rules/format.js"
import { readObject } from "../rules/json.js"
import "../styles/results.css"
import "../styles/tests.css"

const path = (id: number) => ({ path: { id } })

const FIELDS = ["name", "agent", "information"]

const NEW_INFORMATION = { main_agent_variables: {} }

const ProfileDialog = ({
  profile,
  project,
  onClose
}: {
  readonly profile: TestProfile | undefined
  readonly project: number
  readonly onClose: () => void
}) => {
  const agents = useQuery(agentsQuery)
  const draft = useDraft(`profile ${profile?.id ?? "new"}`, {
    name: profile?.name ?? "",
    agent: profile?.agent ?? null,
    json: JSON.stringify(profile?.information ?? NEW_INFORMATION, null, 2)
  })
  const information = readObject(draft.value.json)
  const edit = useDraftForm(draft, {
    save: async ({ agent, name }) => {
      const body = { name, agent, information: information ?? {} }
      if (profile === undefined) {
        await dataOf(client.POST("/test_framework/v1/test_profiles/", { body: { ...body, project } }))
      } else {
        await dataOf(client.PATCH("/test_framework/v1/test_profiles/{id}/", { params: path(profile.id), body }))
      }
    },
    list: "profiles",
    onSaved: onClose
  })
  const { at, bind, form } = edit
  return (
    <DraftDialog
      of={edit}
      title={profile === undefined ? "New test profile" : "Edit test profile"}
      submit={profile === undefined ? "Create" : "Save"}
      fields={FIELDS}
      isComplete={form.name.trim() !== "" && information !== undefined}
      onClose={onClose}
    >
      <TextField name="Name" maxLength={255} {...bind("name")} />
      <Select
        name="Agent"
        none="Any agent"
        options={entities(agents.data?.filter((one) => one.project === project))}
        {...bind("agent")}
      />
      <TextArea
        name="Information as JSON"
        isCode
        hint="Facts about the simulated caller, by section. The values in main_agent_variables fill {{variables}}."
        rows={10}
        {...bind("json")}
        error={information === undefined ? "This is not a JSON object." : at("information")}
      />
    </DraftDialog>
  )
}

/** The sections of a profile, each with the names of its values. */
const sections = (information: TestProfile["information"]): string =>
  Object.entries(information)
    .map(([section, values]: readonly [string, unknown]) =>
      typeof values === "object" && values !== null ? `${section}: ${Object.keys(values).join(", ") || "–"}` : section
    )
    .join("; ")

export const Profiles = () => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const project = useProject(useSearch({ from: "/app/profiles" }).project)
  const { chosen } = project
  const profiles = useQuery(profilesQuery(chosen))
  const [editing, setEditing] = useState<TestProfile | "new">()
  const [mayWrite, mayDelete] = [useMay("catalog:write"), useMay("catalog:delete")]
  const remove = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/test_framework/v1/test_profiles/{id}/", { params: path(id) })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["profiles"] })
  })
  const now = new Date()
  return (
    <>
      <TestsHead path="/profiles">
        <ProjectSelect
          project={project}
          onChange={(next) => {
            void navigate({ to: "/profiles", search: { project: next } })
          }}
        />
        {mayWrite && chosen !== undefined ? (
          <button
            type="button"
            className="button primary"
            onClick={() => {
              setEditing("new")
            }}
          >
            <Icon name="plus" /> New test profile
          </button>
        ) : null}
      </TestsHead>
      <div className="page">
        <div className="content">
          {remove.error === null ? null : <ErrorNotice error={remove.error} />}
          <section className="card" aria-label="Test profiles">
            <Loaded of={profiles}>
              {(all) =>
                all.length === 0 ? (
                  <Empty title="No test profiles yet">
                    <p>A test profile contains facts about the simulated caller, such as a name or a booking number.</p>
                  </Empty>
                ) : (
                  <DataTable
                    label="Test profiles"
                    rows={all}
                    columns={[
                      {
                        name: "Name",
                        className: "wide",
                        of: ({ information, name }) => (
                          <>
                            <span className="strong plain">{name}</span>
                            <div className="muted small plain clamp">{sections(information)}</div>
                          </>
                        )
                      },
                      { name: "Agent", className: "plain", of: ({ agent_name }) => agent_name ?? "Any" },
                      {
                        name: "Changed (UTC)",
                        className: "nowrap",
                        of: ({ updated_at }) => shortTime(updated_at, now)
                      }
                    ]}
                    actions={(profile) => (
                      <RowActions
                        of={profile}
                        onEdit={mayWrite ? setEditing : undefined}
                        onDelete={mayDelete ? remove.mutate : undefined}
                        consequence="Evaluators that use it will have none."
                      />
                    )}
                  />
                )
              }
            </Loaded>
          </section>
        </div>
      </div>
      {editing === undefined || chosen === undefined ? null : (
        <ProfileDialog
          profile={editing === "new" ? undefined : editing}
          project={chosen}
          onClose={() => {
            setEditing(undefined)
          }}
        />
      )}
    </>
  )
}
