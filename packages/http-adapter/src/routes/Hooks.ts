/** Webhooks to the address of an integration, authenticated by their signature. */
import { encodeWebhookReceipt, Platforms, PlatformWebhooks, WebhookReceiptJson } from "@earshot/core"
import * as Effect from "effect/Effect"
import { json, type RawEndpoint } from "../Endpoint.js"

/** The body of a request without a signature, which is refused unread. */
const noBody = Effect.succeed(new Uint8Array())

export const hooks: ReadonlyArray<RawEndpoint> = [
  {
    method: "POST",
    path: `${Platforms.HOOKS_PATH}/:public_id/`,
    id: "integrations.receive",
    operation: "raw",
    tag: "Platforms",
    summary: "Receive a signed webhook",
    mediaType: "application/json",
    isLarge: true,
    challenge: 'Signature realm="earshot"',
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
