/** From an envelope of any platform to the fields of an ingest (interface, E10). */
import { isPlainObject, type Json, type JsonObject } from "../kernel/Json.js"
import { isWithin } from "../kernel/Text.js"
import { type CallFacts, type PlatformEvent, type ReadEnvelope, storable } from "./Envelope.js"
import { type Platform, platforms } from "./Platform.js"
import * as ProviderA from "./ProviderA.js"
import * as ProviderB from "./ProviderB.js"
import * as ProviderD from "./ProviderD.js"
import * as ProviderE from "./ProviderE.js"
import * as ProviderF from "./ProviderF.js"

const readers: Readonly<Record<Platform, ReadEnvelope>> = {
  provider_a: ProviderA.readEnvelope,
  provider_b: ProviderB.readEnvelope,
  provider_d: ProviderD.readEnvelope,
  provider_e: ProviderE.readEnvelope,
  provider_f: ProviderF.readEnvelope
}

/** The event in an envelope of a platform; undefined for what is no envelope of it. */
export const readEnvelope = (platform: Platform, input: unknown): PlatformEvent | undefined => readers[platform](input)

/** The platforms whose envelope a value looks like, for error messages. */
export const platformsOf = (input: unknown): ReadonlyArray<Platform> =>
  platforms.filter((platform) => readers[platform](input) !== undefined)

/** The fields of E10 that an envelope states, besides the transcript; those that it does not state are left out. */
export interface StatedFields {
  readonly call_id?: string
  readonly assistant_id?: string
  /** ISO 8601. */
  readonly timestamp?: string
  readonly duration_seconds?: number
  readonly call_ended_reason?: string
  readonly customer_number?: string
  readonly voice_recording_url?: string
  readonly dynamic_variables?: JsonObject
  readonly metadata: JsonObject
}

/** The longest texts that fields of a call record may have; a longer one is cut, with the whole in `metadata.platform`. */
export interface TextLimits {
  readonly callEndedReason: number
  readonly customerNumber: number
}

/** The key in a call's metadata of what the platform states about it. */
export const PLATFORM_KEY = "platform"

export const statedFields = (platform: Platform, { event, facts }: PlatformEvent, limits: TextLimits): StatedFields => {
  const reason = cut(limits.callEndedReason, facts.endedReason)
  const customer = cut(limits.customerNumber, facts.customerNumber)
  const results: JsonObject = {
    name: platform,
    event,
    ...storableParts({ ...facts.results }),
    ...(reason.whole === undefined ? {} : { ended_reason: reason.whole }),
    ...(customer.whole === undefined ? {} : { customer_number: customer.whole })
  }
  const metadata = { ...facts.metadata, [PLATFORM_KEY]: results }
  return {
    ...definedParts(facts, reason.text, customer.text),
    // Each part can be stored, but together they may be too large.
    metadata: storable(metadata) === undefined ? { [PLATFORM_KEY]: { name: platform, event } } : metadata
  }
}

const definedParts = (
  facts: CallFacts,
  reason: string | undefined,
  customer: string | undefined
): Omit<StatedFields, "metadata"> => ({
  ...(facts.callId === undefined ? {} : { call_id: facts.callId }),
  ...(facts.assistantId === undefined ? {} : { assistant_id: facts.assistantId }),
  ...(facts.startedAt === undefined ? {} : { timestamp: new Date(facts.startedAt).toISOString() }),
  ...(facts.durationSeconds === undefined ? {} : { duration_seconds: facts.durationSeconds }),
  ...(reason === undefined ? {} : { call_ended_reason: reason }),
  ...(customer === undefined ? {} : { customer_number: customer }),
  ...(facts.recordingUrl === undefined ? {} : { voice_recording_url: facts.recordingUrl }),
  ...(facts.dynamicVariables === undefined ? {} : { dynamic_variables: facts.dynamicVariables })
})

const storableParts = (parts: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([key, value]): ReadonlyArray<readonly [string, Json]> => {
      const part = storable(value)
      return part === undefined ? [] : [[key, part]]
    })
  )

/** A text of at most `limit` characters; `whole` is the text if it was cut. */
const cut = (
  limit: number,
  text: string | undefined
): { readonly text: string | undefined; readonly whole: string | undefined } =>
  text === undefined || isWithin(limit, text)
    ? { text, whole: undefined }
    : { text: [...text].slice(0, limit).join(""), whole: text }

/** What the platform states in a call's metadata: the object under `platform`, if an envelope was the source. */
export const platformPart = (metadata: Json | null | undefined): JsonObject | undefined => {
  const part = isObject(metadata) ? metadata[PLATFORM_KEY] : undefined
  return isObject(part) && platforms.some((platform) => platform === part.name) ? part : undefined
}

const isObject = (value: Json | null | undefined): value is JsonObject => isPlainObject(value)

/** How much an event knows about its call: what a later stage states wins over an earlier one, in any order of arrival. */
const STAGES: ReadonlyMap<unknown, number> = new Map([
  ["call_ended", 1],
  ["post_call_audio", 1],
  ["call_initiation_failure", 1],
  ["call_analyzed", 2],
  ["end-of-call-report", 2],
  ["post_call_transcription", 2],
  ["session_report", 2],
  ["call", 2],
  ["conversation", 2]
])

const stageOf = (part: JsonObject): number => STAGES.get(part.event) ?? 0

/** Whether what a delivery states is superseded by the stored call: its event is an earlier one that arrives later. */
export const isSuperseded = (stored: Json | null, delivered: Json | null | undefined): boolean => {
  const before = platformPart(stored)
  const after = platformPart(delivered)
  return before !== undefined && after !== undefined && stageOf(after) < stageOf(before)
}

/** The whole texts in `metadata.platform` of fields that have the beginning, by whether the field is the delivered one. */
export interface DeliveredTexts {
  readonly ended_reason: boolean
  readonly customer_number: boolean
}

/**
 * The metadata of two deliveries of which the later one to arrive comes from a platform: events know different parts, so
 * they are merged key by key, in `platform` as well. Of two values of a key the one of the later stage counts, and whole texts
 * are those of the fields.
 */
export const mergeMetadata = (stored: Json | null, delivered: Json, texts: DeliveredTexts): Json => {
  const after = platformPart(delivered)
  if (after === undefined || !isObject(stored) || !isObject(delivered)) return delivered
  const before = platformPart(stored)
  const isEarlier = isSuperseded(stored, delivered)
  const {
    customer_number: _,
    ended_reason: __,
    ...part
  } = isEarlier ? { ...after, ...before } : { ...before, ...after }
  return {
    ...(isEarlier ? { ...delivered, ...stored } : { ...stored, ...delivered }),
    [PLATFORM_KEY]: {
      ...part,
      ...wholeText("ended_reason", texts.ended_reason ? after : before),
      ...wholeText("customer_number", texts.customer_number ? after : before)
    }
  }
}

const wholeText = (key: keyof DeliveredTexts, part: JsonObject | undefined): JsonObject => {
  const text = part?.[key]
  return text === undefined ? {} : { [key]: text }
}
