/** An agent as its form holds it, and as the API takes it. */
import type { components } from "@earshot/client"

type Agent = components["schemas"]["Agent"]
type AgentDraft = components["schemas"]["AgentDraft"]
export type Channel = Agent["supported_channels"][number]
export type ChatKind = NonNullable<Agent["chat_endpoint"]>["kind"]
export type VoiceProtocol = NonNullable<Agent["voice_endpoint"]>["protocol"]

export const CHANNELS: ReadonlyArray<readonly [Channel, string]> = [
  ["voice", "Voice"],
  ["text", "Text"],
  ["provider_d_v2", "Pipecat"],
  ["provider_e_v2", "LiveKit"],
  ["provider_f", "ElevenLabs"]
]

export const CHAT_KINDS: ReadonlyArray<readonly [ChatKind, string]> = [
  ["openai", "Chat completions (OpenAI)"],
  ["webhook", "Webhook"]
]

export const VOICE_PROTOCOLS: ReadonlyArray<readonly [VoiceProtocol, string]> = [
  ["twilio", "Twilio Media Streams"],
  ["pipecat", "Pipecat (protobuf frames)"],
  ["elevenlabs", "ElevenLabs"],
  ["openai_realtime", "OpenAI Realtime"]
]

/** Stands for a stored value. */
const MASKED = "********"

export interface Header {
  readonly name: string
  /** `********` stands for the stored value. */
  readonly value: string
}

export interface AgentForm {
  readonly name: string
  readonly description: string
  readonly assistant_id: string
  readonly provider: string
  readonly supported_channels: ReadonlyArray<Channel>
  /** Blank for no endpoint. */
  readonly chat_url: string
  readonly chat_kind: ChatKind
  readonly chat_headers: ReadonlyArray<Header>
  /** Blank for no endpoint. */
  readonly voice_url: string
  readonly voice_protocol: VoiceProtocol
  readonly voice_headers: ReadonlyArray<Header>
  /** Blank for none. */
  readonly voice_token: string
}

export const NEW_AGENT: AgentForm = {
  name: "",
  description: "",
  assistant_id: "",
  provider: "",
  supported_channels: ["voice", "text"],
  chat_url: "",
  chat_kind: "openai",
  chat_headers: [],
  voice_url: "",
  voice_protocol: "twilio",
  voice_headers: [],
  voice_token: ""
}

const headersOf = (headers: Readonly<Record<string, string>> | undefined): ReadonlyArray<Header> =>
  Object.entries(headers ?? {}).map(([name, value]) => ({ name, value }))

export const agentFormOf = (agent: Agent): AgentForm => ({
  name: agent.name,
  description: agent.description,
  assistant_id: agent.assistant_id ?? "",
  provider: agent.provider ?? "",
  supported_channels: agent.supported_channels,
  chat_url: agent.chat_endpoint?.url ?? "",
  chat_kind: agent.chat_endpoint?.kind ?? "openai",
  chat_headers: headersOf(agent.chat_endpoint?.headers),
  voice_url: agent.voice_endpoint?.url ?? "",
  voice_protocol: agent.voice_endpoint?.protocol ?? "twilio",
  voice_headers: headersOf(agent.voice_endpoint?.headers),
  voice_token: agent.voice_endpoint?.auth_token ?? ""
})

/** The headers by name; rows without a name are left out. */
const record = (headers: ReadonlyArray<Header>): Record<string, string> =>
  Object.fromEntries(
    headers.flatMap(({ name, value }): ReadonlyArray<[string, string]> =>
      name.trim() === "" ? [] : [[name.trim(), value]]
    )
  )

export const agentBodyOf = (form: AgentForm) =>
  ({
    name: form.name,
    description: form.description,
    assistant_id: form.assistant_id,
    provider: form.provider,
    supported_channels: [...form.supported_channels],
    chat_endpoint:
      form.chat_url.trim() === ""
        ? null
        : { url: form.chat_url.trim(), kind: form.chat_kind, headers: record(form.chat_headers) },
    voice_endpoint:
      form.voice_url.trim() === ""
        ? null
        : {
            url: form.voice_url.trim(),
            protocol: form.voice_protocol,
            headers: record(form.voice_headers),
            auth_token: form.voice_token === "" ? null : form.voice_token
          }
  }) satisfies Omit<AgentDraft, "project">

/** The form without what must not be kept in a browser: values of headers and the token that are not those of the server. */
export const withoutSecrets = (form: AgentForm): AgentForm => {
  const hidden = (value: string): string => (value === MASKED ? MASKED : "")
  const headers = (all: ReadonlyArray<Header>) => all.map(({ name, value }) => ({ name, value: hidden(value) }))
  return {
    ...form,
    chat_headers: headers(form.chat_headers),
    voice_headers: headers(form.voice_headers),
    voice_token: hidden(form.voice_token)
  }
}

/** A name that two rows have, which one of them would lose; names of headers are the same in upper and lower case. */
export const repeatedHeader = (headers: ReadonlyArray<Header>): string | undefined => {
  const names = headers.map(({ name }) => name.trim().toLowerCase()).filter((name) => name !== "")
  const at = names.findIndex((name, index) => names.indexOf(name) !== index)
  return at === -1 ? undefined : names[at]
}
