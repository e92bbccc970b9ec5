import { encodeWebhookReceipt, Platforms, PlatformWebhooks, WebhookOptions, WebhookReceiptJson } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Endpoint, json } from "../Endpoint.js"

const tag = "Platforms"

/** Any JSON object: the envelope, whose form the platform defines. */
const Envelope = Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
  description: "The envelope as the platform sends it."
})

const receipt = { name: "WebhookReceipt", schema: WebhookReceiptJson }

/** Webhooks of voice platforms, as the platforms send them. */
export const platforms: ReadonlyArray<Endpoint> = [
  {
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
    body: {
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
    },
    responses: [{ status: 200, description: "The outcome of the event.", body: receipt }],
    handle: ({ body, params, query }) =>
      Effect.flatMap(PlatformWebhooks, (webhooks) =>
        Effect.map(webhooks.observe(params.platform ?? "", body, query), (received) =>
          json(200, encodeWebhookReceipt(received))
        )
      )
  }
]
