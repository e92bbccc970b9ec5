/** Redaction of what a delivery brings besides transcript and recording, and what it tells about the call. */
import {
  type KnownValue,
  knownValuesIn,
  RedactionCounts,
  type RedactionPlace,
  redactCustomerNumber,
  redactJsonInSteps,
  type RedactOptions,
  redactText,
  type SensitiveField
} from "@earshot/redaction"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isPlainObject, type Json, type JsonObject } from "../kernel/Json.js"
import { mergeMetadata, PLATFORM_KEY, platformPart } from "../platforms/Envelopes.js"
import type { RedactionUnavailable } from "./CallErrors.js"
import { CallLimits, type CallRecord } from "./CallRecord.js"
import type { CalledAgent, Delivery, ReviewTexts } from "./Delivery.js"
import type { ValidIngest } from "./IngestValidation.js"
import type { RedactionWork } from "./RedactionWork.js"

/** Fields of a call besides transcript and recording that can be redacted. */
const CALL_DETAILS = ["metadata", "dynamic_variables", "feedback", "customer_number", "call_ended_reason"] as const
export type CallDetail = (typeof CALL_DETAILS)[number]

/** The details that are redacted as documents. */
const DOCUMENTS = ["metadata", "dynamic_variables", "feedback", "call_ended_reason"] as const

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** The name and the event identify the envelope and are the platform's, so a recognizer must not change them. */
const keepingName = ({ event, name }: JsonObject, redacted: Json): Json =>
  isPlainObject(redacted)
    ? { ...redacted, ...(name === undefined ? {} : { name }), ...(event === undefined ? {} : { event }) }
    : redacted

/** Redacted metadata with the name and the event of its platform. */
const keepingPlatform = (before: Json, after: Json): Json => {
  const part = platformPart(before)
  const redacted = isPlainObject(after) ? after[PLATFORM_KEY] : undefined
  return part === undefined || redacted === undefined || !isPlainObject(after)
    ? after
    : { ...after, [PLATFORM_KEY]: keepingName(part, redacted) }
}

/** Redacted metadata: all of it, or of metadata that is kept the part of its platform. */
const metadataOf = (
  before: Json | undefined,
  keptPart: JsonObject | undefined,
  after: Json | undefined,
  afterPart: Json | undefined
): Json | undefined => {
  if (before === undefined) return undefined
  return keptPart !== undefined && isPlainObject(before)
    ? { ...before, [PLATFORM_KEY]: keepingName(keptPart, afterPart ?? null) }
    : keepingPlatform(before, after ?? null)
}

const documentText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The report of a call's redactions while it is put together. */
export interface DetailCounts {
  readonly sum: RedactionCounts
  /** Adds what the record says of a place that the delivery leaves as it is. */
  readonly keep: (place: RedactionPlace) => void
}

export const countsFrom = (before: CallRecord | undefined): DetailCounts => {
  const sum = new RedactionCounts()
  return {
    sum,
    keep: (place) => {
      sum.addAll((before?.redactions ?? []).filter(({ where }) => where === place))
    }
  }
}

const textRedacted = (
  text: string,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): Effect.Effect<string> =>
  // A text stays a text.
  Effect.map(redactJsonInSteps(text, fields, options), (redacted) => (typeof redacted === "string" ? redacted : text))

/**
 * Whether why a call ended is one of a platform's codes, such as `exceeded-max-duration`. Charts count calls by these, and
 * some have names of persons and places in them.
 */
const isCode = (reason: string): boolean => /^\p{L}+(?:[-_.]\p{L}+)*$/u.test(reason)

/** Why a call ended, redacted unless it is a code. */
export const redactEndedReason = (
  reason: string,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): string => (isCode(reason) ? reason : redactText(reason, fields, options))

const reviewRedacted = (
  { dropoffPoint, feedback, topic }: ReviewTexts,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): Effect.Effect<ReviewTexts> => {
  const text = (value: string | null, most: number): Effect.Effect<string | null> =>
    value === null
      ? Effect.succeed(null)
      : Effect.map(textRedacted(value, fields, options), (after) => after.slice(0, Math.max(most, value.length)))
  return Effect.all({
    feedback: text(feedback, CallLimits.feedback),
    topic: text(topic, CallLimits.topic),
    dropoffPoint: text(dropoffPoint, CallLimits.dropoffPoint)
  })
}

/** Redacts the details, except those that are kept. */
export const makeDetails = (
  work: Context.Tag.Service<typeof RedactionWork>,
  keep: ReadonlyArray<CallDetail>,
  options: RedactOptions
) => {
  const redacted = new Set(CALL_DETAILS.filter((name) => !keep.includes(name)))

  /** The delivered value, or the stored one where it has to be redacted again. */
  const valueOf = <A extends Json>(
    counts: DetailCounts,
    name: CallDetail,
    given: A | null,
    stored: A | null | undefined
  ): A | undefined => {
    // What the stored value was redacted of before counts as long as the value stays.
    if (given === null) counts.keep(name)
    return given ?? (redacted.has(name) ? (stored ?? undefined) : undefined)
  }

  const documentsOf = (
    { dynamic_variables, feedback, call_ended_reason, customer_number, metadata }: ValidIngest["body"],
    stored: CallRecord | undefined,
    counts: DetailCounts
  ) => {
    const before = stored?.metadata ?? null
    const kept = platformPart(before) === undefined ? undefined : before
    const merged =
      metadata === null
        ? kept
        : // What stays of the stored metadata has to be redacted as well, whoever stated it.
          mergeMetadata(before, metadata, {
            ended_reason: call_ended_reason !== null,
            customer_number: customer_number !== null
          })
    return {
      metadata: valueOf<Json>(counts, "metadata", merged ?? null, stored?.metadata),
      dynamic_variables: valueOf<Json>(counts, "dynamic_variables", dynamic_variables, stored?.dynamicVariables),
      feedback: valueOf(counts, "feedback", feedback, stored?.feedback),
      call_ended_reason: valueOf(counts, "call_ended_reason", call_ended_reason, stored?.callEndedReason)
    }
  }

  /** Documents and texts, redacted together: a value that one of them tells is found in the others. */
  const documentsRedacted = (
    documents: ReadonlyArray<Json>,
    fields: ReadonlyArray<SensitiveField>,
    known: ReadonlyArray<KnownValue>
  ): Effect.Effect<ReadonlyArray<Json>, RedactionUnavailable> =>
    documents.length === 0
      ? Effect.succeed(documents)
      : Effect.map(work.json(documents, fields, { ...options, known }), (answer) => (isList(answer) ? answer : []))

  return {
    /** `stored` is the stored call when its details have to be redacted by more fields; `known` is looked for in them. */
    ofDelivery: (
      { body }: ValidIngest,
      fields: ReadonlyArray<SensitiveField>,
      stored: CallRecord | undefined,
      known: ReadonlyArray<KnownValue>,
      counts: DetailCounts
    ): Effect.Effect<
      Pick<Delivery, "customerNumber" | "callEndedReason" | "feedback" | "metadata" | "dynamicVariables">,
      RedactionUnavailable
    > =>
      Effect.gen(function* () {
        const values = documentsOf(body, stored, counts)
        const { metadata } = values
        // Of metadata that is kept, what its platform states about the call: its summary repeats what was said.
        const part = redacted.has("metadata") ? undefined : platformPart(metadata)
        const asked = DOCUMENTS.flatMap((name) => {
          const value = values[name]
          const isRedacted =
            redacted.has(name) && !(name === "call_ended_reason" && typeof value === "string" && isCode(value))
          return value === undefined || !isRedacted ? [] : [[name, value] as const]
        })
        const answers = yield* documentsRedacted(
          [...asked.map(([, value]) => value), ...(part === undefined ? [] : [part])],
          fields,
          known
        )
        const after = new Map<CallDetail, Json>()
        asked.forEach(([name, before], at) => {
          // What is missing in the answer is not stored.
          const now = answers[at] ?? null
          counts.sum.addDocument(name, documentText(before), documentText(now))
          after.set(name, now)
        })
        const documentOf = (name: keyof typeof values): Json | undefined => after.get(name) ?? values[name]
        const textOf = (name: keyof typeof values, most: number): string | undefined => {
          const text = documentOf(name)
          return typeof text === "string" ? text.slice(0, most) : undefined
        }
        const number = valueOf(counts, "customer_number", body.customer_number, stored?.customerNumber)
        const redactedNumber =
          number === undefined || !redacted.has("customer_number")
            ? number
            : redactCustomerNumber(number, fields, options).slice(0, CallLimits.customerNumber)
        counts.sum.addDocument("customer_number", number ?? "", redactedNumber ?? "")
        return {
          metadata: metadataOf(metadata, part, documentOf("metadata"), answers[asked.length]),
          dynamicVariables: documentOf("dynamic_variables"),
          feedback: textOf("feedback", Infinity),
          callEndedReason: textOf("call_ended_reason", CallLimits.callEndedReason),
          customerNumber: redactedNumber
        }
      }),
    /** The texts of a review that are stored, before and after they are redacted. */
    ofReviewer: (
      { dropoffPoint, feedback, feedbackByPerson, topic }: CallRecord,
      fields: ReadonlyArray<SensitiveField>
    ): Effect.Effect<Delivery["redactedReview"]> => {
      if (!redacted.has("feedback")) return Effect.succeed(undefined)
      const from: ReviewTexts = { feedback: feedbackByPerson ? feedback : null, topic, dropoffPoint }
      return Effect.map(reviewRedacted(from, fields, options), (to) => ({ from, to }))
    },
    redactReview: ({ dropoffPoint, feedback, redactFields, topic }: CallRecord): Effect.Effect<ReviewTexts> => {
      const texts: ReviewTexts = { feedback, topic, dropoffPoint }
      return redacted.has("feedback") ? reviewRedacted(texts, redactFields, options) : Effect.succeed(texts)
    }
  }
}

/** Fewest digits of a customer number that is a telephone number. */
const PHONE_DIGITS = 7

/** What a call's number is: a telephone number, or an identifier of an account. */
const customerNumberOf = (value: string): KnownValue => ({
  value,
  field: value.replace(/\D/g, "").length >= PHONE_DIGITS && !/\p{L}/u.test(value) ? "phone_number" : "account_number"
})

/** What is known of a call besides its transcript, and is looked for in it: its number, variables, metadata and agent. */
export const knownOf = (
  { body }: ValidIngest,
  agent: CalledAgent,
  before: CallRecord | undefined
): ReadonlyArray<KnownValue> => {
  const number = body.customer_number ?? before?.customerNumber
  return [
    ...(number === undefined || number === null || number.startsWith("[") ? [] : [customerNumberOf(number)]),
    // Before the others, of which only the first ones count.
    { value: `This is ${agent.name}.` },
    ...knownValuesIn(body.dynamic_variables ?? before?.dynamicVariables ?? null),
    ...knownValuesIn(body.metadata ?? before?.metadata ?? null)
  ]
}
