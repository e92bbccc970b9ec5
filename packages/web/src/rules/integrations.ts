/** Voice platforms: their names, their secrets, and what has to be entered there. */
import type { components } from "@earshot/client"

type Schemas = components["schemas"]
export type PlatformName = "vapi" | "retell" | "elevenlabs" | "livekit" | "pipecat"
export type SensitiveField = Schemas["Integration"]["redact_fields"][number]

interface PlatformText {
  readonly token: Schemas["Integration"]["platform"]
  readonly name: string
  /** Whether the platform makes the secret, so that it has to be entered here. */
  readonly makesSecret: boolean
  /** What the secret is called where it is made or entered. */
  readonly secret: string
  /** What to do on the platform, in order. */
  readonly steps: ReadonlyArray<string>
}

const STANDARD_WEBHOOKS =
  "Sign each request according to Standard Webhooks: the headers webhook-id, webhook-timestamp and webhook-signature, made with the secret."

/** Source: docs/platforms.md. */
export const PLATFORMS: Readonly<Record<PlatformName, PlatformText>> = {
  vapi: {
    token: "provider_a",
    name: "Vapi",
    makesSecret: false,
    secret: "Any secret",
    steps: [
      "In the Vapi dashboard open Assistants, the assistant, Advanced, Server URL; or for all assistants Settings, Server URL.",
      "Enter the URL, and the secret as the header x-vapi-secret or as a bearer token credential.",
      "Select the server message end-of-call-report."
    ]
  },
  retell: {
    token: "provider_b",
    name: "Retell",
    makesSecret: true,
    secret: "The account's API key, which Retell signs with",
    steps: [
      "In the Retell dashboard open Webhooks for the account, or the agent's Webhook Settings.",
      "Enter the URL. The events call_ended and call_analyzed are stored."
    ]
  },
  elevenlabs: {
    token: "provider_f",
    name: "ElevenLabs",
    makesSecret: true,
    secret: "The webhook's secret, which ElevenLabs shows when the webhook is created",
    steps: [
      "In ElevenLabs open Agents, Settings, Post-call webhook, and create a webhook with the URL.",
      "ElevenLabs shows its secret: replace the secret of this integration with it."
    ]
  },
  livekit: {
    token: "provider_e",
    name: "LiveKit",
    makesSecret: false,
    secret: "Any secret",
    steps: ["Send the report of each session to the URL when the session ends.", STANDARD_WEBHOOKS]
  },
  pipecat: {
    token: "provider_d",
    name: "Pipecat",
    makesSecret: false,
    secret: "Any secret",
    steps: ["Send the messages of each call to the URL when the client has disconnected.", STANDARD_WEBHOOKS]
  }
}

export const PLATFORM_NAMES: ReadonlyArray<readonly [PlatformName, string]> = [
  ["vapi", PLATFORMS.vapi.name],
  ["retell", PLATFORMS.retell.name],
  ["elevenlabs", PLATFORMS.elevenlabs.name],
  ["livekit", PLATFORMS.livekit.name],
  ["pipecat", PLATFORMS.pipecat.name]
]

/** The platform of a token. */
export const platformOf = (token: Schemas["Integration"]["platform"]): PlatformText =>
  Object.values(PLATFORMS).find((one) => one.token === token) ?? PLATFORMS.vapi

/** The address that an integration receives webhooks at; `base` is origin and base path of the server. */
export const hookAddress = (base: string, publicId: string): string => `${base}/observability/v1/hooks/${publicId}/`

/** The fields that can be redacted. Source: interface, redact_fields. */
export const SENSITIVE_FIELDS: ReadonlyArray<SensitiveField> = [
  ...(["person_name", "age", "phone_number", "email_address", "date", "time", "location", "origin"] as const),
  ...(["gender_sexuality", "physical_attribute", "occupation", "username", "password", "ip_address"] as const),
  ...(["url", "filename", "event", "vehicle_id", "dob", "healthcare_number", "medical_professional"] as const),
  ...(["credit_card", "account_number", "bank_account", "money", "ssn", "passport_number"] as const),
  ...(["driver_license", "numerical_pii"] as const)
]

/** An integration as its form holds it. The secret is beside it, since forms are kept in the browser. */
export interface IntegrationForm {
  readonly name: string
  readonly platform: PlatformName
  /** Null for agents that are found by the platform's id of them. */
  readonly agent: number | null
  readonly redact_fields: ReadonlyArray<SensitiveField>
  readonly metric_ids: ReadonlyArray<number>
}

export const NEW_INTEGRATION: IntegrationForm = {
  name: "",
  platform: "vapi",
  agent: null,
  redact_fields: [],
  metric_ids: []
}
