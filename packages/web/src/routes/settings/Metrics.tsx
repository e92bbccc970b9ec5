/** The metrics of an agent: which are on, what they ask, and a shorter prompt for judges. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Metric } from "../../api/client.js"
import { simulationMetricsQuery } from "../../api/tests.js"
import { useChosenAgent } from "../../components/agents.js"
import { DataTable } from "../../components/DataTable.js"
import { useDraft } from "../../components/draft.js"
import { DraftDialog, useDraftForm } from "../../components/DraftForm.js"
import { Empty, ErrorNotice, Loaded } from "../../components/Feedback.js"
import { TextArea, TextField } from "../../components/Form.js"
import { useMay } from "../../components/permission.js"
import { patchMetric } from "./patchMetric.js"
import { SimplifyDialog } from "./SimplifyDialog.js"

const isJudge = ({ type }: Metric): boolean => type === "llm_judge" || type === "basic" || type === "custom_prompt"

const EditMetric = ({ metric, onClose }: { readonly metric: Metric; readonly onClose: () => void }) => {
  const { description, name, prompt } = metric
  const draft = useDraft(`metric ${metric.id}`, { name, description, prompt })
  const edit = useDraftForm(draft, {
    save: (form) =>
      patchMetric(metric.id, {
        name: form.name,
        description: form.description,
        ...(isJudge(metric) ? { prompt: form.prompt } : {})
      }),
    list: "agent metrics",
    onSaved: onClose
  })
  const { bind, form } = edit
  return (
    <DraftDialog
      of={edit}
      title="Edit metric"
      submit="Save"
      fields={["name", "description", "prompt"]}
      isComplete={form.name.trim() !== ""}
      onClose={onClose}
    >
      <TextField name="Name" maxLength={255} {...bind("name")} />
      <TextArea name="Description" rows={2} {...bind("description")} />
      {isJudge(metric) ? (
        <TextArea name="Prompt" hint="What the judge is asked about the transcript." rows={10} {...bind("prompt")} />
      ) : null}
    </DraftDialog>
  )
}

const kindOf = (metric: Metric): string =>
  isJudge(metric) ? "LLM judge" : metric.function_name === "" ? "Custom code" : "Formula"

const SWITCHES = [
  ["observability_enabled", "Calls", "calls"],
  ["simulation_enabled", "Tests", "tests"]
] as const

export const Metrics = () => {
  const queries = useQueryClient()
  const agents = useChosenAgent()
  const { chosen } = agents
  const mayWrite = useMay("catalog:write")
  const metrics = useQuery(simulationMetricsQuery(chosen))
  const [opened, setOpened] = useState<{ readonly metric: Metric; readonly isSimplified: boolean }>()
  const change = useMutation({
    mutationFn: ({ body, id }: { readonly id: number; readonly body: Parameters<typeof patchMetric>[1] }) =>
      patchMetric(id, body),
    onSettled: () => queries.invalidateQueries({ queryKey: ["agent metrics"] })
  })
  const close = () => {
    setOpened(undefined)
  }
  return (
    <section className="card" aria-labelledby="metrics-title">
      <header>
        <h2 id="metrics-title">Metrics</h2>
        {agents.select}
      </header>
      {change.error === null ? null : <ErrorNotice error={change.error} />}
      {agents.query.data?.length === 0 ? (
        <Empty title="No agents yet">
          <p>Metrics belong to agents. Create an agent first.</p>
        </Empty>
      ) : (
        <Loaded of={metrics}>
          {(all) => (
            <DataTable
              label="Metrics"
              rows={all}
              columns={[
                {
                  name: "Metric",
                  className: "wide",
                  of: (metric) => (
                    <>
                      <span className="strong plain">{metric.name}</span>
                      <div className="muted small plain clamp">{metric.description}</div>
                    </>
                  )
                },
                { name: "Kind", className: "nowrap", of: kindOf },
                ...SWITCHES.map(([field, name, of]) => ({
                  name,
                  of: (metric: Metric) => (
                    <input
                      type="checkbox"
                      aria-label={`${metric.name} for ${of}`}
                      checked={metric[field]}
                      disabled={!mayWrite || change.isPending}
                      onChange={() => {
                        change.mutate({ id: metric.id, body: { [field]: !metric[field] } })
                      }}
                    />
                  )
                }))
              ]}
              actions={(metric) =>
                mayWrite ? (
                  <>
                    {isJudge(metric) && metric.prompt !== "" ? (
                      <button
                        type="button"
                        className="button small"
                        aria-label={`Simplify the prompt of ${metric.name}`}
                        onClick={() => {
                          setOpened({ metric, isSimplified: true })
                        }}
                      >
                        Simplify
                      </button>
                    ) : null}
                    <button
                      type="button"
                      className="button small"
                      aria-label={`Edit ${metric.name}`}
                      onClick={() => {
                        setOpened({ metric, isSimplified: false })
                      }}
                    >
                      Edit
                    </button>
                  </>
                ) : null
              }
            />
          )}
        </Loaded>
      )}
      {opened === undefined ? null : opened.isSimplified ? (
        <SimplifyDialog metric={opened.metric} onClose={close} />
      ) : (
        <EditMetric metric={opened.metric} onClose={close} />
      )}
    </section>
  )
}
