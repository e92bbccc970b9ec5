/** Webhooks to the address of an integration, authenticated by their signature. */
import { encodeWebhookReceipt, Platforms, PlatformWebhooks, WebhookReceiptJson } from "@earshot/core"
import * as Effect from "effect/Effect"
import { type DescribedRawEndpoint, json } from "../Endpoint.js"
import { platformEnvelope } from "./Platforms.js"

/** The body of a request without a signature, which is refused unread. */
const noBody = Effect.succeed(new Uint8Array())

export const hooks: ReadonlyArray<DescribedRawEndpoint> = [
  {
    method: "POST",
    path: `${Platforms.HOOKS_PATH}/:public_id/`,
    id: "integrations.receive",
    operation: "raw",
    tag: "Platforms",
    summary: "Receive a signed webhook",
    description:
      "Takes the webhook of the platform of an integration, with a signature over its body instead of an API key: " +
      "`x-retell-signature`, `elevenlabs-signature`, the headers of Standard Webhooks, or of Vapi the secret itself. " +
      "Events about a finished call are ingested, all others are skipped; both are answered with 200. So is a request that " +
      "was accepted before, of which nothing is stored again.",
    mediaType: "application/json",
    isLarge: true,
    challenge: 'Signature realm="earshot"',
    described: {
      body: platformEnvelope,
      security: [
        "retell_signature",
        "elevenlabs_signature",
        "standard_webhooks_signature",
        "vapi_secret",
        "vapi_bearer_secret"
      ]
    },
    responses: [
      {
        status: 200,
        description: "The outcome of the event.",
        body: { name: "WebhookReceipt", schema: WebhookReceiptJson }
      }
    ],
    handle: ({ bytes, from, headers, params, parseJson }) =>
      Effect.flatMap(PlatformWebhooks, (webhooks) =>
        Effect.flatMap(Platforms.isSigned(headers) ? bytes : noBody, (body) =>
          Effect.map(webhooks.receive(params.public_id ?? "", { headers, body, from }, parseJson), (received) =>
            json(200, encodeWebhookReceipt(received))
          )
        )
      )
  }
]
