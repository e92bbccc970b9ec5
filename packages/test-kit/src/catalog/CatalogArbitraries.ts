/** Arbitrary projects and agents, and the inputs that create and change them. */
import {
  Agent,
  type AgentDraft,
  AgentId,
  Channel,
  type ChatEndpoint,
  MAX_ID,
  MAX_SEED,
  type NewAgent,
  OrganizationId,
  Project,
  type ProjectDraft,
  ProjectId,
  SealedValue,
  type VoiceEndpoint,
  VoiceProtocolName
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"

/** Any text that both databases can store: well-formed Unicode of every plane, without NUL. */
export const text = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 3, arbitrary: fc.string({ maxLength }) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("'; DROP TABLE projects; --", "%_\\", "Zoë 🛎️", "\u{10FFFF}\uFFFD\r\n\t", " ")
      }
    )
    .map((any) => Array.from(any.replaceAll("\0", "0")).slice(0, maxLength).join(""))

/** A name: not blank. */
export const name = (maxLength = 255): fc.Arbitrary<string> =>
  text(Math.min(maxLength, 40)).map((any) => (any.trim() === "" ? "Unnamed" : any))

const share = fc.double({ min: 0, max: 1, noNaN: true })
const phrases = fc.array(name(200), { minLength: 1, maxLength: 5 })

/** Behaviors by voice as they are sent: with any of their fields, or none. */
export const voiceBehaviorInput = fc.record(
  {
    voice: fc.option(name(100)),
    pace: fc.double({ min: 0.25, max: 4, noNaN: true }),
    interrupts: fc.option(
      fc.record(
        {
          after_seconds: fc.option(fc.double({ min: 0.1, max: 120, noNaN: true })),
          after_words: fc.option(fc.integer({ min: 1, max: 200 })),
          probability: share,
          phrases
        },
        { requiredKeys: [] }
      )
    ),
    backchannels: fc.option(
      fc.record(
        { every_seconds: fc.double({ min: 0.5, max: 120, noNaN: true }), probability: share, phrases },
        { requiredKeys: [] }
      )
    ),
    silences: fc.option(
      fc.record(
        { seconds: fc.double({ min: 0.1, max: 60, noNaN: true }), probability: share },
        { requiredKeys: ["seconds"] }
      )
    ),
    line: fc.option(
      fc.record(
        {
          gain_db: fc.double({ min: -40, max: 20, noNaN: true }),
          noise_db: fc.option(fc.double({ min: -80, max: -10, noNaN: true })),
          second_talker_db: fc.option(fc.double({ min: -60, max: 0, noNaN: true })),
          packet_loss: fc.double({ min: 0, max: 0.9, noNaN: true }),
          jitter_ms: fc.double({ min: 0, max: 2000, noNaN: true })
        },
        { requiredKeys: [] }
      )
    ),
    seed: fc.option(fc.nat({ max: MAX_SEED }))
  },
  { requiredKeys: [] }
)

/** The draft of a project. */
export const projectDraft: fc.Arbitrary<ProjectDraft> = fc.record({ name: name(), description: text(200) })

/** The patch of a project: any of its fields, or none. */
export const projectPatch: fc.Arbitrary<Partial<Pick<Project, "name" | "description">>> = fc.record(
  { name: name(), description: text(200) },
  { requiredKeys: [] }
)

/** Assistant ids, few enough to collide. */
export const assistantId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("asst_1", "asst_2", "ASST_1", "Ä", "1", "null"),
  fc.uuid()
)

export const channels: fc.Arbitrary<ReadonlyArray<Channel>> = fc.uniqueArray(fc.constantFrom(...Channel.literals), {
  minLength: 1
})

const header = fc.tuple(
  fc.constantFrom("Authorization", "X-Api-Key", "x-trace", "constructor"),
  fc.stringMatching(/^[\x21-\x7e]{1,40}$/)
)

const headers = fc.array(header, { maxLength: 3 }).map((all): Record<string, string> => Object.fromEntries(all))

const chatEndpointInput = fc.record({
  url: fc.webUrl({ withQueryParameters: true, validSchemes: ["http", "https"] }),
  kind: fc.constantFrom("openai" as const, "webhook" as const),
  headers
})

const token = fc.option(fc.stringMatching(/^[\x21-\x7e]{1,40}$/))

/** Requests of one protocol alone are signed with a token. */
const voiceEndpointInput = fc
  .record({
    url: fc.webUrl({ withQueryParameters: true, validSchemes: ["ws", "wss"] }),
    protocol: fc.constantFrom(...VoiceProtocolName.literals),
    headers,
    token
  })
  .map(({ token: drawn, ...endpoint }) => ({ ...endpoint, auth_token: endpoint.protocol === "twilio" ? drawn : null }))

/** The draft of an agent without its project. */
export const agentDraft: fc.Arbitrary<Omit<AgentDraft, "project">> = fc.record({
  name: name(),
  description: text(400),
  assistant_id: fc.option(assistantId),
  provider: fc.option(fc.constantFrom("provider_a", "provider_f", "somebody")),
  supported_channels: channels,
  chat_endpoint: fc.option(chatEndpointInput),
  voice_endpoint: fc.option(voiceEndpointInput)
})

const sealedHeaders = (all: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, SealedValue.make(value)]))

const chatEndpoint: fc.Arbitrary<ChatEndpoint> = chatEndpointInput.map((input) => ({
  ...input,
  headers: sealedHeaders(input.headers)
}))

const voiceEndpoint: fc.Arbitrary<VoiceEndpoint> = voiceEndpointInput.map((input) => ({
  url: input.url,
  protocol: input.protocol,
  headers: sealedHeaders(input.headers),
  authToken: input.auth_token === null ? null : SealedValue.make(input.auth_token)
}))

/** A new agent for a store, without its project and assistant id, which must be unused. */
export const newAgent: fc.Arbitrary<Omit<NewAgent, "projectId" | "assistantId">> = fc.record({
  name: name(),
  description: text(400),
  provider: fc.option(fc.constantFrom("provider_a", "provider_f")),
  supportedChannels: channels,
  chatEndpoint: fc.option(chatEndpoint),
  voiceEndpoint: fc.option(voiceEndpoint)
})

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((millis) => DateTime.unsafeMake(millis))
const id = fc.integer({ min: 1, max: MAX_ID })

/** Any project. */
export const project: fc.Arbitrary<Project> = fc
  .record({
    id: id.map((one) => ProjectId.make(one)),
    organizationId: id.map((one) => OrganizationId.make(one)),
    name: name(),
    description: text(200),
    createdAt: instant,
    updatedAt: instant
  })
  .map((fields) => new Project(fields))

/** Any agent. */
export const agent: fc.Arbitrary<Agent> = fc
  .record({
    id: id.map((one) => AgentId.make(one)),
    organizationId: id.map((one) => OrganizationId.make(one)),
    projectId: id.map((one) => ProjectId.make(one)),
    assistantId: fc.option(assistantId),
    fields: newAgent,
    createdAt: instant,
    updatedAt: instant
  })
  .map(({ fields, ...rest }) => new Agent({ ...fields, ...rest }))
