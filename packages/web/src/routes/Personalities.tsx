import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf } from "../api/client.js"
import { personalitiesQuery, type Personality } from "../api/tests.js"
import { BEHAVIOR_FIELDS, BehaviorFields } from "../components/BehaviorFields.js"
import { DraftOffer, useDraft } from "../components/draft.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { FormDialog, Select, TextArea, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { useMay } from "../components/permission.js"
import { ProjectSelect, RowActions, TestsHead, useProject } from "../components/TestPages.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { languageName, LANGUAGES } from "../rules/languages.js"
import {
  behaviorSummary,
  personalityBodyOf,
  type PersonalityForm,
  personalityFormOf
} from "../rules/personalityDraft.js"
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
  const queries = useQueryClient()
  const draft = useDraft(`personality ${personality?.id ?? "new"}`, personalityFormOf(personality))
  const form = draft.value
  const set = (change: Partial<PersonalityForm>) => {
    draft.set((current) => ({ ...current, ...change }))
  }
  const save = useMutation({
    mutationFn: async () => {
      const body = personalityBodyOf(form)
      if (personality === undefined) {
        await dataOf(client.POST("/test_framework/v1/personalities/", { body: { ...body, project } }))
      } else {
        await dataOf(client.PATCH("/test_framework/v1/personalities/{id}/", { params: path(personality.id), body }))
      }
    },
    onSuccess: async () => {
      draft.done()
      await queries.invalidateQueries({ queryKey: ["personalities"] })
      onClose()
    }
  })
  const at = (field: string) => fieldMessages(save.error, field)
  return (
    <FormDialog
      title={personality === undefined ? "New personality" : "Edit personality"}
      submit={personality === undefined ? "Create" : "Save"}
      error={save.error}
      fields={FIELDS}
      isPending={save.isPending}
      isComplete={form.name.trim() !== ""}
      isNarrow={false}
      onSubmit={() => {
        save.mutate()
      }}
      onClose={onClose}
    >
      <DraftOffer draft={draft} />
      <TextField
        name="Name"
        value={form.name}
        maxLength={255}
        error={at("name")}
        onChange={(name) => {
          set({ name })
        }}
      />
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
        value={form.description}
        rows={4}
        error={at("description")}
        onChange={(description) => {
          set({ description })
        }}
      />
      <BehaviorFields form={form} error={save.error} set={set} />
    </FormDialog>
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
                  <div className="table-scroll" role="region" aria-label="Personalities" tabIndex={0}>
                    <table className="table">
                      <thead>
                        <tr>
                          <th>Name</th>
                          <th>Language</th>
                          <th>In this project</th>
                          <th>
                            <span className="sr-only">Actions</span>
                          </th>
                        </tr>
                      </thead>
                      <tbody>
                        {personalities.map((personality) => (
                          <tr key={personality.id}>
                            <td className="wide">
                              <span className="strong plain">{personality.name}</span>
                              <div className="muted small plain clamp">{personality.description}</div>
                              {behaviorSummary(personality.voice_behavior).length === 0 ? null : (
                                <div className="small plain">
                                  By voice: {behaviorSummary(personality.voice_behavior).join(", ")}
                                </div>
                              )}
                            </td>
                            <td className="nowrap">{languageName(personality.language)}</td>
                            <td>
                              {isEnabled.has(personality.id) ? (
                                <span className="pill good">Enabled</span>
                              ) : mayWrite && enabled.data !== undefined ? (
                                <button
                                  type="button"
                                  className="button small"
                                  aria-label={`Enable ${personality.name}`}
                                  disabled={enable.isPending}
                                  onClick={() => {
                                    enable.mutate(personality.id)
                                  }}
                                >
                                  Enable
                                </button>
                              ) : (
                                <span className="pill">Not enabled</span>
                              )}
                            </td>
                            <RowActions
                              name={personality.name}
                              onEdit={
                                mayWrite
                                  ? () => {
                                      setEditing(personality)
                                    }
                                  : undefined
                              }
                              onDelete={
                                mayDelete
                                  ? () => {
                                      remove.mutate(personality.id)
                                    }
                                  : undefined
                              }
                              consequence="Evaluators that use it will have none."
                            />
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
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
