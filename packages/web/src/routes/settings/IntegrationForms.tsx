/** The dialogs of an integration: create, edit, replace the secret, and what to enter on the platform. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { agentsQuery } from "../../api/calls.js"
import { baseUrl, client, dataOf } from "../../api/client.js"
import { projectsQuery } from "../../api/dashboards.js"
import type { Integration } from "../../api/settings.js"
import { simulationMetricsQuery } from "../../api/tests.js"
import { Dialog } from "../../components/Dialog.js"
import { useDraft } from "../../components/draft.js"
import { DraftDialog, type DraftForm, useDraftForm } from "../../components/DraftForm.js"
import { Checks, entities, FormDialog, SecretField, Select, TextField } from "../../components/Form.js"
import { Copied } from "../../components/Secret.js"
import { fieldMessages } from "../../rules/fieldErrors.js"
import {
  hookAddress,
  type IntegrationForm,
  NEW_INTEGRATION,
  PLATFORM_NAMES,
  PLATFORMS,
  platformOf,
  SENSITIVE_FIELDS
} from "../../rules/integrations.js"
import { words } from "../../rules/format.js"

const path = (id: number) => ({ path: { id } })

/** What to enter on the platform; `secret` is the one that was just made. */
export const SetupDialog = ({
  integration,
  secret,
  onClose
}: {
  readonly integration: Integration
  readonly secret?: string | null
  readonly onClose: () => void
}) => {
  const platform = platformOf(integration.platform)
  return (
    <Dialog title={`Set up ${platform.name}`} onClose={onClose}>
      <div className="stack">
        <Copied name="URL" value={hookAddress(baseUrl, integration.public_id)} />
        {secret === undefined || secret === null ? null : (
          <>
            <Copied name="Secret" value={secret} />
            <p>Copy the secret now: it is not shown again.</p>
          </>
        )}
        <ol className="steps">
          {platform.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </div>
      <footer>
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}

/** What an integration does with every call. */
const Defaults = <A extends Pick<IntegrationForm, "redact_fields" | "metric_ids">>({
  agent,
  of
}: {
  readonly agent: number | null
  readonly of: DraftForm<A>
}) => {
  const metrics = useQuery(simulationMetricsQuery(agent ?? undefined))
  return (
    <>
      <Checks
        name="Redact in every call"
        options={SENSITIVE_FIELDS.map((field) => [field, words(field)])}
        {...of.bind("redact_fields")}
      />
      {agent === null ? null : (
        <Checks
          name="Evaluate only these metrics (default: all that are enabled for calls)"
          options={entities(metrics.data)}
          {...of.bind("metric_ids")}
        />
      )}
    </>
  )
}

export const NewIntegration = ({
  onCreated,
  onClose
}: {
  readonly onCreated: (integration: Integration, secret: string | null) => void
  readonly onClose: () => void
}) => {
  const agents = useQuery(agentsQuery)
  const projects = useQuery(projectsQuery)
  const [project, setProject] = useState<number | null>(null)
  const [secret, setSecret] = useState("")
  const draft = useDraft("integration new", NEW_INTEGRATION)
  const platform = PLATFORMS[draft.value.platform]
  const edit = useDraftForm(draft, {
    save: (form) =>
      dataOf(
        client.POST("/observability/v1/integrations/", {
          body: {
            platform: form.platform,
            name: form.name,
            ...(form.agent === null ? { project: project ?? projects.data?.[0]?.id ?? null } : { agent: form.agent }),
            ...(secret === "" ? {} : { secret }),
            redact_fields: [...form.redact_fields],
            metric_ids: form.agent === null ? [] : [...form.metric_ids]
          }
        })
      ),
    list: "integrations",
    onSaved: (issued) => {
      if ("public_id" in issued) onCreated(issued, issued.secret)
    }
  })
  const { at, bind, form, set } = edit
  return (
    <DraftDialog
      of={edit}
      title="New integration"
      submit="Create"
      fields={["platform", "name", "agent", "project", "secret", "redact_fields", "metric_ids"]}
      isComplete={!platform.makesSecret || secret !== ""}
      onClose={onClose}
    >
      <Select
        name="Platform"
        value={form.platform}
        options={PLATFORM_NAMES}
        error={at("platform")}
        onChange={(next) => {
          set({ platform: next ?? "vapi" })
        }}
      />
      <TextField name="Name" maxLength={255} {...bind("name")} />
      <Select
        name="Agent"
        value={form.agent}
        none="Found by the platform's id of it"
        options={entities(agents.data)}
        error={at("agent")}
        onChange={(agent) => {
          set({ agent, metric_ids: [] })
        }}
      />
      {form.agent === null ? (
        <Select
          name="Project"
          value={project ?? projects.data?.[0]?.id}
          options={entities(projects.data)}
          error={at("project")}
          onChange={setProject}
        />
      ) : null}
      <SecretField
        name="Secret"
        hint={`${platform.secret}.${platform.makesSecret ? "" : " Blank for a new one, which is shown once."}`}
        value={secret}
        error={at("secret")}
        onChange={setSecret}
      />
      <Defaults agent={form.agent} of={edit} />
    </DraftDialog>
  )
}

export const EditIntegration = ({
  integration,
  onClose
}: {
  readonly integration: Integration
  readonly onClose: () => void
}) => {
  const draft = useDraft<Omit<IntegrationForm, "platform" | "agent">>(`integration ${integration.id}`, {
    name: integration.name,
    redact_fields: integration.redact_fields,
    metric_ids: integration.metric_ids
  })
  const edit = useDraftForm(draft, {
    save: (form) =>
      dataOf(
        client.PATCH("/observability/v1/integrations/{id}/", {
          params: path(integration.id),
          body: { name: form.name, redact_fields: [...form.redact_fields], metric_ids: [...form.metric_ids] }
        })
      ),
    list: "integrations",
    onSaved: onClose
  })
  return (
    <DraftDialog
      of={edit}
      title="Edit integration"
      submit="Save"
      fields={["name", "redact_fields", "metric_ids"]}
      onClose={onClose}
    >
      <TextField name="Name" maxLength={255} {...edit.bind("name")} />
      <Defaults agent={integration.agent} of={edit} />
    </DraftDialog>
  )
}

/** How long a replaced secret stays valid, in seconds. */
const OVERLAPS: ReadonlyArray<readonly [number, string]> = [
  [0, "Not at all"],
  [3_600, "For an hour"],
  [86_400, "For a day"],
  [604_800, "For 7 days"]
]

const DAY = 86_400

export const RotateSecret = ({
  integration,
  onRotated,
  onClose
}: {
  readonly integration: Integration
  readonly onRotated: (secret: string | null) => void
  readonly onClose: () => void
}) => {
  const queries = useQueryClient()
  const platform = platformOf(integration.platform)
  const [secret, setSecret] = useState("")
  const [overlap, setOverlap] = useState(DAY)
  const rotate = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST("/observability/v1/integrations/{id}/rotate_secret/", {
          params: path(integration.id),
          body: { ...(secret === "" ? {} : { secret }), previous_valid_seconds: overlap }
        })
      ),
    onSuccess: async (issued) => {
      await queries.invalidateQueries({ queryKey: ["integrations"] })
      onRotated("secret" in issued ? issued.secret : null)
    }
  })
  return (
    <FormDialog
      title="Replace the secret"
      submit="Replace"
      error={rotate.error}
      fields={["secret", "previous_valid_seconds"]}
      isPending={rotate.isPending}
      isComplete={!platform.makesSecret || secret !== ""}
      onSubmit={() => {
        rotate.mutate()
      }}
      onClose={onClose}
    >
      <SecretField
        name="New secret"
        hint={`${platform.secret}.${platform.makesSecret ? "" : " Blank for a new one, which is shown once."}`}
        value={secret}
        error={fieldMessages(rotate.error, "secret")}
        onChange={setSecret}
      />
      <Select
        name="The old secret stays valid"
        value={overlap}
        options={OVERLAPS}
        error={fieldMessages(rotate.error, "previous_valid_seconds")}
        onChange={(next) => {
          setOverlap(next ?? DAY)
        }}
      />
    </FormDialog>
  )
}
