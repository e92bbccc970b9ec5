import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import { JsonObject } from "../kernel/Json.js"
import { MAX_NAME } from "./Project.js"

/** How an agent can be reached. Source: interface E1, `channel`. */
export const Channel = Schema.Literal("voice", "text", "provider_f", "provider_e_v2", "provider_d_v2")
export type Channel = typeof Channel.Type

/** The channels of an agent whose draft names none. */
const DEFAULT_CHANNELS: ReadonlyArray<Channel> = ["voice", "text"]

/** Replaces a secret in every output. In an input it means: keep the stored value. */
export const MASKED = "********"

/** A secret as it is stored, sealed by the engine's `SecretBox`: a header value, or the token of a voice endpoint. */
export const SealedValue = Schema.String.pipe(Schema.brand("SealedValue"))
export type SealedValue = typeof SealedValue.Type

const Masked = Schema.transform(Schema.String, SealedValue, {
  strict: true,
  decode: (text) => text,
  encode: () => MASKED
})

/**
 * Where an agent answers in text: a chat-completions server, or a webhook. Header values are usually credentials: they are
 * sealed at rest, sent to that address alone, and masked in responses.
 */
export const ChatEndpoint = Schema.Struct({
  url: Schema.String,
  kind: Schema.Literal("openai", "webhook"),
  headers: Schema.Record({ key: Schema.String, value: Masked })
})
export type ChatEndpoint = typeof ChatEndpoint.Type

/** A chat endpoint whose headers are opened, to be called. */
export interface OpenChatEndpoint extends Omit<ChatEndpoint, "headers"> {
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
}

/** What a voice endpoint speaks: Twilio Media Streams, Pipecat's protobuf frames, or events of ElevenLabs or of OpenAI Realtime. */
export const VoiceProtocolName = Schema.Literal("twilio", "pipecat", "elevenlabs", "openai_realtime")
export type VoiceProtocolName = typeof VoiceProtocolName.Type

/**
 * Where an agent answers calls by voice: a WebSocket. Header values and the token with which the connection is signed are
 * sealed at rest, sent to that address alone, and masked in responses.
 */
export const VoiceEndpoint = Schema.Struct({
  url: Schema.String,
  protocol: VoiceProtocolName,
  headers: Schema.Record({ key: Schema.String, value: Masked }),
  authToken: Fields.named("auth_token", Schema.NullOr(Masked))
})
export type VoiceEndpoint = typeof VoiceEndpoint.Type

/** A voice endpoint whose headers and token are opened, to be called. */
export interface OpenVoiceEndpoint {
  readonly url: string
  readonly protocol: VoiceProtocolName
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly authToken: Redacted.Redacted | null
}

/** A voice agent under test or observation. */
export class Agent extends Schema.Class<Agent>("@earshot/core/catalog/Agent")({
  id: AgentId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  name: Schema.String,
  /** The agent's instructions; `{{variable}}` placeholders are filled in from a call's dynamic variables. */
  description: Schema.String,
  /** The provider's id of the agent, as its webhooks refer to it. */
  assistantId: Fields.named("assistant_id", Schema.NullOr(Schema.String)),
  provider: Schema.NullOr(Schema.String),
  supportedChannels: Fields.named("supported_channels", Schema.Array(Channel)),
  chatEndpoint: Fields.named("chat_endpoint", Schema.NullOr(ChatEndpoint)),
  voiceEndpoint: Fields.named("voice_endpoint", Schema.NullOr(VoiceEndpoint)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** Where an agent can be called. */
export type AgentEndpoints = Pick<Agent, "chatEndpoint" | "voiceEndpoint">

/** An agent's wire form; `agent_name` repeats its name, as other resources of the interface call it. */
export const AgentWire = Schema.extend(Schema.encodedSchema(Agent), Schema.Struct({ agent_name: Schema.String }))

const encode = Schema.encodeSync(Agent)

/** An agent in its wire form. */
export const encodeAgent = (agent: Agent) => ({ ...encode(agent), agent_name: agent.name })

const MAX_DESCRIPTION = 100_000

const blankIsNull = (text: string | null): string | null => (text === null || text.trim() === "" ? null : text)

/** A text or null; a blank means null. */
const textOrNone = (max: number): Schema.Schema<string | null> =>
  Schema.transform(Fields.nullable(Fields.text({ max })), Schema.NullOr(Schema.String), {
    strict: true,
    decode: blankIsNull,
    encode: (text) => text
  })

const channels = Fields.list(Fields.choice(Channel.literals), { min: 1, max: 50 })

const addressError = (text: string, protocols: ReadonlyArray<string>): string | undefined => {
  if (!URL.canParse(text)) return "Enter a valid URL."
  const url = new URL(text)
  if (!protocols.includes(url.protocol))
    return `Enter a URL that starts with ${protocols.map((one) => `${one}//`).join(" or ")}.`
  if (url.hash !== "") return "Enter a URL without a fragment (#)."
  return url.username !== "" || url.password !== "" ? "Put credentials into headers, not into the URL." : undefined
}

const addressOf = (...protocols: ReadonlyArray<string>) =>
  Fields.text({ max: 2048, blank: false }).pipe(Schema.filter((text) => addressError(text, protocols) ?? true))

const chatEndpoint = Fields.nullable(
  Fields.object({
    url: addressOf("https:", "http:"),
    kind: Fields.choice(["openai", "webhook"]),
    headers: Fields.withDefault(JsonObject, {})
  })
)

/** A chat endpoint as it was sent; `EndpointRules` validates and seals it. */
export type ChatEndpointInput = typeof chatEndpoint.Type

/** Characters of a header value or a token. */
export const MAX_SECRET = 4096

const voiceEndpoint = Fields.nullable(
  Fields.object({
    url: addressOf("wss:", "ws:"),
    protocol: Fields.withDefault(Fields.choice(VoiceProtocolName.literals), "twilio"),
    headers: Fields.withDefault(JsonObject, {}),
    auth_token: Fields.withDefault(Fields.nullable(Fields.text({ max: MAX_SECRET, blank: false })), null)
  })
)

/** A voice endpoint as it was sent; `EndpointRules` validates and seals it. */
export type VoiceEndpointInput = typeof voiceEndpoint.Type

/** The draft of a new agent. */
export const AgentDraft = Fields.object({
  project: Fields.id(ProjectId),
  name: Fields.text({ max: MAX_NAME, blank: false }),
  description: Fields.withDefault(Fields.text({ max: MAX_DESCRIPTION }), ""),
  assistant_id: Fields.withDefault(textOrNone(MAX_NAME), null),
  provider: Fields.withDefault(textOrNone(100), null),
  supported_channels: Fields.withDefault(channels, DEFAULT_CHANNELS),
  chat_endpoint: Fields.withDefault(chatEndpoint, null),
  voice_endpoint: Fields.withDefault(voiceEndpoint, null)
})
export type AgentDraft = typeof AgentDraft.Type

/** The patch of an agent; fields left out are unchanged. The project of an agent cannot change: its calls belong to it. */
export const AgentPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  description: Fields.optional(Fields.text({ max: MAX_DESCRIPTION })),
  assistant_id: Fields.optional(textOrNone(MAX_NAME)),
  provider: Fields.optional(textOrNone(100)),
  supported_channels: Fields.optional(channels),
  chat_endpoint: Fields.optional(chatEndpoint),
  voice_endpoint: Fields.optional(voiceEndpoint)
})
export type AgentPatch = typeof AgentPatch.Type
