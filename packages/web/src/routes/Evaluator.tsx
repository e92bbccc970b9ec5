/** One evaluator, or a new one: every field of it, with errors at their fields. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { agentsQuery } from "../api/calls.js"
import { client, dataOf } from "../api/client.js"
import {
  type Evaluator,
  evaluatorQuery,
  foldersQuery,
  personalitiesQuery,
  profilesQuery,
  simulationMetricsQuery,
  toolsQuery
} from "../api/tests.js"
import { ActionsEditor } from "../components/ActionsEditor.js"
import { DraftOffer, useDraft } from "../components/draft.js"
import { Loaded } from "../components/Feedback.js"
import { Checks, entities, FormError, Select, TextArea, TextField } from "../components/Form.js"
import { Icon } from "../components/Icon.js"
import { useMay } from "../components/permission.js"
import { bodyOf, type EvaluatorForm, formOf, newForm, SCENARIO_TYPES } from "../rules/evaluatorDraft.js"
import { fieldMessages, isPlaced } from "../rules/fieldErrors.js"
import { words } from "../rules/format.js"
import { LANGUAGES } from "../rules/languages.js"
import "../styles/tests.css"

interface Editing {
  readonly form: EvaluatorForm
  readonly error: unknown
  readonly set: (change: Partial<EvaluatorForm>) => void
}

const FIELDS = [
  "name",
  "agent",
  "scenario_type",
  "instructions",
  "expected_outcome_prompt",
  "first_message",
  "personality",
  "test_profile",
  "scenario_language",
  "folder_path",
  "tags",
  "metrics",
  "tool_ids",
  "max_duration"
]

/** The errors of conditional actions that their editor shows. */
const ITEM_PATHS = /^conditional_actions\.(?:role|conditions\[\d+\]\.(?:condition|action|type|fixed_message))$/

const typeHint = (type: EvaluatorForm["scenario_type"]): string =>
  type === "instruction"
    ? "The caller follows instructions in plain text."
    : type === "conditional_actions"
      ? "The caller acts by conditions."
      : type === "real_world_smart"
        ? "The caller follows a conversation that happened, and adapts."
        : "The caller follows a conversation that happened, word for word."

const Behavior = ({ error, form, set }: Editing) => (
  <section className="card" aria-labelledby="behavior-title">
    <header>
      <h2 id="behavior-title">Behavior of the caller</h2>
    </header>
    <div className="body">
      <Select
        name="Type"
        value={form.scenario_type}
        options={SCENARIO_TYPES.map((type) => [type, words(type)] as const)}
        hint={typeHint(form.scenario_type)}
        error={fieldMessages(error, "scenario_type")}
        onChange={(type) => {
          set({ scenario_type: type ?? "instruction" })
        }}
      />
      {form.scenario_type === "conditional_actions" ? (
        <ActionsEditor
          actions={form.actions}
          error={error}
          onChange={(actions) => {
            set({ actions })
          }}
        />
      ) : (
        <>
          <TextArea
            name="Instructions"
            rows={8}
            value={form.instructions}
            error={fieldMessages(error, "instructions")}
            onChange={(instructions) => {
              set({ instructions })
            }}
          />
          <TextArea
            name="First message"
            rows={2}
            value={form.first_message}
            error={fieldMessages(error, "first_message")}
            onChange={(first_message) => {
              set({ first_message })
            }}
          />
        </>
      )}
      <TextArea
        name="Expected outcome"
        hint="The outcome that is checked after the call."
        rows={3}
        value={form.expected_outcome_prompt}
        error={fieldMessages(error, "expected_outcome_prompt")}
        onChange={(expected_outcome_prompt) => {
          set({ expected_outcome_prompt })
        }}
      />
    </div>
  </section>
)

const Caller = ({ error, form, project, set }: Editing & { readonly project: number | undefined }) => {
  const personalities = useQuery({ ...personalitiesQuery(project), enabled: project !== undefined })
  const profiles = useQuery(profilesQuery(project))
  const tools = useQuery(toolsQuery(project))
  const at = (field: string) => fieldMessages(error, field)
  return (
    <section className="card" aria-labelledby="caller-title">
      <header>
        <h2 id="caller-title">The caller</h2>
      </header>
      <div className="body">
        <div className="form-grid">
          <Select
            name="Personality"
            value={form.personality}
            none="None"
            options={entities(personalities.data)}
            error={at("personality")}
            onChange={(personality) => {
              set({ personality })
            }}
          />
          <Select
            name="Test profile"
            value={form.test_profile}
            none="None"
            options={entities(profiles.data)}
            error={at("test_profile")}
            onChange={(test_profile) => {
              set({ test_profile })
            }}
          />
          <Select
            name="Language"
            value={form.scenario_language}
            none="Of the personality"
            options={LANGUAGES}
            error={at("scenario_language")}
            onChange={(scenario_language) => {
              set({ scenario_language })
            }}
          />
          <TextField
            name="Maximum duration in seconds"
            type="number"
            value={form.max_duration}
            placeholder="none"
            error={at("max_duration")}
            onChange={(max_duration) => {
              set({ max_duration })
            }}
          />
        </div>
        {(tools.data?.length ?? 0) === 0 ? null : (
          <Checks
            name="Tools"
            options={entities(tools.data)}
            value={form.tool_ids}
            error={at("tool_ids")}
            onChange={(tool_ids) => {
              set({ tool_ids })
            }}
          />
        )}
      </div>
    </section>
  )
}

const Metrics = ({ error, form, set }: Editing) => {
  const metrics = useQuery(simulationMetricsQuery(form.agent ?? undefined))
  return (
    <section className="card" aria-labelledby="metrics-title">
      <header>
        <h2 id="metrics-title">Evaluation</h2>
      </header>
      <div className="body">
        <Checks
          name="Metrics"
          options={entities(metrics.data)}
          value={form.metrics}
          error={fieldMessages(error, "metrics")}
          onChange={(chosen) => {
            set({ metrics: chosen })
          }}
        />
      </div>
    </section>
  )
}

const Editor = ({ initial, evaluator }: { readonly initial: EvaluatorForm; readonly evaluator?: Evaluator }) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const agents = useQuery(agentsQuery)
  const draft = useDraft(`evaluator ${evaluator?.id ?? "new"}`, initial)
  const form = draft.value
  const isReadOnly = !useMay("evaluators:write")
  const project = agents.data?.find(({ id }) => id === form.agent)?.project ?? evaluator?.project
  const folders = useQuery(foldersQuery(project))
  const save = useMutation({
    mutationFn: () =>
      evaluator === undefined
        ? dataOf(client.POST("/test_framework/v1/scenarios/", { body: bodyOf(form) }))
        : dataOf(
            client.PATCH("/test_framework/v1/scenarios/{id}/", {
              params: { path: { id: evaluator.id } },
              body: bodyOf(form)
            })
          ),
    onSuccess: async () => {
      draft.done()
      await queries.invalidateQueries({ queryKey: ["evaluators"] })
      queries.removeQueries({ queryKey: ["evaluator"] })
      await navigate({ to: "/evaluators", search: { project, folder: form.folder_path } })
    }
  })
  const { error } = save
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== null) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [error])
  const editing = {
    form,
    error,
    set: (change: Partial<EvaluatorForm>) => {
      draft.set((before) => ({ ...before, ...change }))
    }
  }
  const { set } = editing
  return (
    <form
      ref={element}
      className="evaluator"
      noValidate
      aria-label="Evaluator"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      {isReadOnly ? null : <DraftOffer draft={draft} />}
      <fieldset className="evaluator" disabled={isReadOnly}>
        <section className="card" aria-label="Evaluator">
          <div className="body form-grid">
            <TextField
              name="Name"
              value={form.name}
              maxLength={80}
              error={fieldMessages(error, "name")}
              onChange={(name) => {
                set({ name })
              }}
            />
            <Select
              name="Agent"
              value={form.agent}
              none={form.agent === null ? "Choose an agent" : undefined}
              options={entities(agents.data)}
              error={fieldMessages(error, "agent")}
              onChange={(agent) => {
                set({ agent })
              }}
            />
            <Select
              name="Folder"
              value={form.folder_path}
              none="None"
              options={(folders.data ?? []).map(({ path }) => [path, path] as const)}
              error={fieldMessages(error, "folder_path")}
              onChange={(folder_path) => {
                set({ folder_path: folder_path ?? "" })
              }}
            />
            <TextField
              name="Tags"
              value={form.tags}
              placeholder="separated by commas"
              error={fieldMessages(error, "tags")}
              onChange={(tags) => {
                set({ tags })
              }}
            />
          </div>
        </section>
        <Behavior {...editing} />
        <Caller {...editing} project={project} />
        <Metrics {...editing} />
      </fieldset>
      <FormError error={error} fields={FIELDS} pattern={ITEM_PATHS} />
      {isReadOnly ? null : (
        <div className="row">
          <button type="submit" className="button primary" disabled={save.isPending || form.name.trim() === ""}>
            {evaluator === undefined ? "Create" : "Save"}
          </button>
          {error !== null && isPlaced(error, FIELDS, ITEM_PATHS) ? (
            <span className="field-error" role="alert">
              Not saved. Correct the fields that are marked.
            </span>
          ) : null}
        </div>
      )}
    </form>
  )
}

const NewEvaluator = () => {
  const { folder, project } = useSearch({ from: "/app/evaluators/$id" })
  const agents = useQuery(agentsQuery)
  return (
    <Loaded of={agents}>
      {(all) => (
        <Editor
          initial={newForm(
            all.find((one) => project === undefined || one.project === project)?.id ?? null,
            folder ?? ""
          )}
        />
      )}
    </Loaded>
  )
}

const OldEvaluator = ({ id }: { readonly id: number }) => {
  const evaluator = useQuery({ ...evaluatorQuery(id), placeholderData: undefined })
  return <Loaded of={evaluator}>{(one) => <Editor key={one.id} initial={formOf(one)} evaluator={one} />}</Loaded>
}

export const EvaluatorPage = () => {
  const { id } = useParams({ from: "/app/evaluators/$id" })
  const { folder, project } = useSearch({ from: "/app/evaluators/$id" })
  const isNew = id === "new"
  return (
    <>
      <div className="page-head">
        <Link
          to="/evaluators"
          search={{ project, folder }}
          className="button quiet icon"
          aria-label="Back to the evaluators"
        >
          <Icon name="left" />
        </Link>
        <h1>{isNew ? "New evaluator" : "Evaluator"}</h1>
      </div>
      <div className="page">{isNew ? <NewEvaluator /> : <OldEvaluator id={Number(id)} />}</div>
    </>
  )
}
