import {
  encodeWebhookReceipt,
  IntegrationId,
  Pages,
  Platforms,
  PlatformWebhooks,
  WebhookOptions,
  WebhookReceiptJson
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json, type RequestBody } from "../Endpoint.js"
import { pathId, resource } from "./Resource.js"

const tag = "Platforms"

/** Any JSON object: the envelope, whose form the platform defines. */
const Envelope = Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
  description: "The envelope as the platform sends it."
})

const receipt = { name: "WebhookReceipt", schema: WebhookReceiptJson }

/** The body of a webhook. */
export const platformEnvelope: RequestBody = {
  name: "PlatformEnvelope",
  schema: Envelope,
  encodings: ["json"],
  isLarge: true,
  example: {
    message: {
      type: "end-of-call-report",
      endedReason: "customer-ended-call",
      call: { id: "7420f27a", assistantId: "asst-1" },
      artifact: { messages: [{ role: "bot", message: "Hello.", secondsFromStart: 1.5 }] }
    }
  }
}

/** A webhook with an API key in its header. */
const observe: Endpoint = {
  method: "POST",
  path: "/observability/v1/:platform/observe/",
  id: "calls.observe",
  operation: "calls.observe",
  tag,
  summary: "Receive a platform's webhook",
  description:
    `Takes the whole body of a voice platform's webhook: ${Platforms.platformNames.map((name) => `\`${name}\``).join(", ")}. ` +
    "Events about a finished call are ingested, all others are skipped; both are answered with 200. The agent is the " +
    "one whose `assistant_id` is the platform's id of it, or the one of the query.",
  query: WebhookOptions,
  body: platformEnvelope,
  responses: [{ status: 200, description: "The outcome of the event.", body: receipt }],
  handle: ({ body, params, query }) =>
    Effect.flatMap(PlatformWebhooks, (webhooks) =>
      Effect.map(webhooks.observe(params.platform ?? "", body, query), (received) =>
        json(200, encodeWebhookReceipt(received))
      )
    )
}

const path = "/observability/v1/integrations/"
const issued = { name: "IssuedIntegration", schema: Platforms.IssuedIntegrationWire }

export const platforms: ReadonlyArray<Endpoint> = [
  observe,
  ...resource({
    path,
    tag,
    noun: "integration",
    name: "Integration",
    id: IntegrationId,
    wire: Platforms.Integration,
    encode: Platforms.encodeIntegration,
    create: {
      operation: "integrations.create",
      description:
        `The platform then posts to \`${Platforms.HOOKS_PATH}/{public_id}/\` with a signature instead of an API key. The ` +
        "secret is encrypted; one that is made here is shown only in this response.",
      schema: Platforms.IntegrationDraft,
      encodings: anyEncoding,
      example: { platform: "retell", agent: 1, secret: "key_of_your_account", redact_fields: ["credit_card"] },
      shape: issued,
      run: (body) =>
        Effect.flatMap(Platforms.Integrations, (integrations) =>
          Effect.map(integrations.create(body), Platforms.encodeIssuedIntegration)
        )
    },
    list: {
      operation: "integrations.list",
      query: Pages.PageQuery,
      run: (query) => Effect.flatMap(Platforms.Integrations, (integrations) => integrations.list(query))
    },
    read: {
      operation: "integrations.read",
      run: (id) => Effect.flatMap(Platforms.Integrations, (integrations) => integrations.read(id))
    },
    update: {
      operation: "integrations.update",
      description: "Omitted fields keep their values. Platform, agent and project cannot be changed.",
      schema: Platforms.IntegrationPatch,
      encodings: anyEncoding,
      example: { name: "Front desk" },
      run: (id, body) => Effect.flatMap(Platforms.Integrations, (integrations) => integrations.update(id, body))
    },
    delete: {
      operation: "integrations.delete",
      description: "Permanently deletes the integration; its address is refused at once. Its calls are kept.",
      run: (id) => Effect.flatMap(Platforms.Integrations, (integrations) => integrations.delete(id))
    }
  }),
  {
    method: "POST",
    path: `${path}:id/rotate_secret/`,
    id: "integrations.rotate",
    operation: "integrations.rotate",
    tag,
    summary: "Replace the secret of an integration",
    description:
      "Both secrets are valid for `previous_valid_seconds` (default: a day); with 0 the replaced one is refused at once. A " +
      "secret that is made here is shown only in this response.",
    body: {
      name: "SecretRotation",
      schema: Platforms.SecretRotation,
      encodings: anyEncoding,
      example: { secret: "next_key_of_your_account", previous_valid_seconds: 3600 }
    },
    responses: [{ status: 200, description: "The integration with its new secret.", body: issued }],
    handle: ({ body, params }) =>
      Effect.flatMap(pathId(IntegrationId, params, "Integration"), (id) =>
        Effect.flatMap(Platforms.Integrations, (integrations) =>
          Effect.map(integrations.rotate(id, body), (rotated) => json(200, Platforms.encodeIssuedIntegration(rotated)))
        )
      )
  }
]
