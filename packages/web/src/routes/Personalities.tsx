import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf } from "../api/client.js"
import { personalitiesQuery, type Personality } from "../api/tests.js"
import { BEHAVIOR_FIELDS, BehaviorFields } from "../components/BehaviorFields.js"
import { DataTable } from "../components/DataTable.js"
import { useDraft } from "../components/draft.js"
import { DraftDialog, useDraftForm } from "../components/DraftForm.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { Select, TextArea, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { useMay } from "../components/permission.js"
import { ProjectSelect, RowActions, TestsHead, useProject } from "../components/TestPages.js"
import { languageName, LANGUAGES } from "../rules/languages.js"
import { behaviorSummary, personalityBodyOf, personalityFormOf } from "../rules/personalityDraft.js"
import "../styles/results.css"
import "../styles/tests.css"

const path = (id: number) => ({ path: { id } })

const FIELDS = ["name", "language", "description", ...BEHAVIOR_FIELDS]

const PersonalityDialog = ({
  personality,
  project,
  onClose
}: {
  readonly personality: Personality | undefined
  readonly project: number
  readonly onClose: () => void
}) => {
  const draft = useDraft(`personality ${personality?.id ?? "new"}`, personalityFormOf(personality))
  const edit = useDraftForm(draft, {
    save: async (form) => {
      const body = personalityBodyOf(form)
      if (personality === undefined) {
        await dataOf(client.POST("/test_framework/v1/personalities/", { body: { ...body, project } }))
      } else {
        await dataOf(client.PATCH("/test_framework/v1/personalities/{id}/", { params: path(personality.id), body }))
      }
    },
    list: "personalities",
    onSaved: onClose
  })
  const { at, bind, form, set } = edit
  return (
    <DraftDialog
      of={edit}
      title={personality === undefined ? "New personality" : "Edit personality"}
      submit={personality === undefined ? "Create" : "Save"}
      fields={FIELDS}
      isComplete={form.name.trim() !== ""}
      onClose={onClose}
    >
      <TextField name="Name" maxLength={255} {...bind("name")} />
      <Select
        name="Language"
        value={form.language}
        options={LANGUAGES}
        error={at("language")}
        onChange={(language) => {
          set({ language: language ?? "en" })
        }}
      />
      <TextArea
        name="Description"
        hint="How the simulated caller speaks and behaves."
        rows={4}
        {...bind("description")}
      />
      <BehaviorFields of={edit} />
    </DraftDialog>
  )
}

export const Personalities = () => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const project = useProject(useSearch({ from: "/app/personalities" }).project)
  const { chosen } = project
  const all = useQuery(personalitiesQuery())
  const enabled = useQuery({ ...personalitiesQuery(chosen), enabled: chosen !== undefined })
  const [editing, setEditing] = useState<Personality | "new">()
  const [mayWrite, mayDelete] = [useMay("catalog:write"), useMay("catalog:delete")]
  const refresh = () => queries.invalidateQueries({ queryKey: ["personalities"] })
  const enable = useMutation({
    mutationFn: (id: number) =>
      dataOf(
        client.POST("/user/v1/projects/{id}/enable_personalities/", {
          params: path(chosen ?? 0),
          body: { personalities: [id] }
        })
      ),
    onSettled: refresh
  })
  const remove = useMutation({
    mutationFn: (id: number) => dataOf(client.DELETE("/test_framework/v1/personalities/{id}/", { params: path(id) })),
    onSettled: refresh
  })
  const failed = enable.error ?? remove.error
  const isEnabled = new Set(enabled.data?.map(({ id }) => id))
  return (
    <>
      <TestsHead path="/personalities">
        <ProjectSelect
          project={project}
          onChange={(next) => {
            void navigate({ to: "/personalities", search: { project: next } })
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
            <Icon name="plus" /> New personality
          </button>
        ) : null}
      </TestsHead>
      <div className="page">
        <div className="content">
          {failed === null ? null : <ErrorNotice error={failed} />}
          <section className="card" aria-label="Personalities">
            <Loaded of={all}>
              {(personalities) =>
                personalities.length === 0 ? (
                  <Empty title="No personalities yet">
                    <p>A personality says how the simulated caller of an evaluator speaks and behaves.</p>
                  </Empty>
                ) : (
                  <DataTable
                    label="Personalities"
                    rows={personalities}
                    columns={[
                      {
                        name: "Name",
                        className: "wide",
                        of: ({ description, name, voice_behavior }) => (
                          <>
                            <span className="strong plain">{name}</span>
                            <div className="muted small plain clamp">{description}</div>
                            {behaviorSummary(voice_behavior).length === 0 ? null : (
                              <div className="small plain">By voice: {behaviorSummary(voice_behavior).join(", ")}</div>
                            )}
                          </>
                        )
                      },
                      { name: "Language", className: "nowrap", of: ({ language }) => languageName(language) },
                      {
                        name: "In this project",
                        of: ({ id, name }) =>
                          isEnabled.has(id) ? (
                            <span className="pill good">Enabled</span>
                          ) : mayWrite && enabled.data !== undefined ? (
                            <button
                              type="button"
                              className="button small"
                              aria-label={`Enable ${name}`}
                              disabled={enable.isPending}
                              onClick={() => {
                                enable.mutate(id)
                              }}
                            >
                              Enable
                            </button>
                          ) : (
                            <span className="pill">Not enabled</span>
                          )
                      }
                    ]}
                    actions={(personality) => (
                      <RowActions
                        of={personality}
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
        <PersonalityDialog
          personality={editing === "new" ? undefined : editing}
          project={chosen}
          onClose={() => {
            setEditing(undefined)
          }}
        />
      )}
    </>
  )
}
