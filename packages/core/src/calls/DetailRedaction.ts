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
const callDetails = ["metadata", "dynamic_variables", "feedback", "customer_number", "call_ended_reason"] as const
export type CallDetail = (typeof callDetails)[number]

type Redacted<A> = Effect.Effect<A, RedactionUnavailable>

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

/**
 * The metadata with what a platform states about the call redacted: its summary and analysis repeat what was said. Undefined
 * without any.
 */
const platformRedacted = (
  metadata: Json | null | undefined,
  redact: (value: Json) => Redacted<Json>
): Redacted<Json | undefined> => {
  const part = platformPart(metadata)
  return part === undefined || !isPlainObject(metadata)
    ? Effect.succeed(metadata ?? undefined)
    : Effect.map(redact(part), (redacted) => ({ ...metadata, [PLATFORM_KEY]: keepingName(part, redacted) }))
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
 * Why a call ended, redacted unless it is one of a platform's codes, such as `exceeded-max-duration`. Charts count calls by
 * these, and some have names of persons and places in them.
 */
export const redactEndedReason = (
  reason: string,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): string => (/^\p{L}+(?:[-_.]\p{L}+)*$/u.test(reason) ? reason : redactText(reason, fields, options))

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
  const redacted = new Set(callDetails.filter((name) => !keep.includes(name)))

  /** The delivered value, or the stored one (`kept`) where it has to be redacted again. */
  const detail = <A extends Json>(
    counts: DetailCounts,
    name: CallDetail,
    given: A | null,
    kept: A | null | undefined,
    redact: (value: A) => Redacted<A>
  ): Redacted<A | undefined> => {
    const value = given ?? (redacted.has(name) ? kept : undefined)
    // What the stored value was redacted of before counts as long as the value stays.
    if (given === null) counts.keep(name)
    if (value === undefined || value === null || !redacted.has(name)) return Effect.succeed(value ?? undefined)
    return Effect.tap(redact(value), (after) => {
      counts.sum.addDocument(name, documentText(value), documentText(after))
      return Effect.void
    })
  }

  return {
    /** `stored` is the stored call when its details have to be redacted by more fields. */
    ofDelivery: (
      { body }: ValidIngest,
      fields: ReadonlyArray<SensitiveField>,
      stored: CallRecord | undefined,
      counts: DetailCounts
    ): Redacted<Pick<Delivery, "customerNumber" | "callEndedReason" | "feedback" | "metadata" | "dynamicVariables">> =>
      Effect.suspend(() => {
        const json = (value: Json): Redacted<Json> => work.json(value, fields, options)
        const before = stored?.metadata ?? null
        const kept = platformPart(before) === undefined ? undefined : before
        const merged =
          body.metadata === null
            ? kept
            : // What stays of the stored metadata has to be redacted as well, whoever stated it.
              mergeMetadata(before, body.metadata, {
                ended_reason: body.call_ended_reason !== null,
                customer_number: body.customer_number !== null
              })
        return Effect.all({
          metadata: redacted.has("metadata")
            ? detail<Json>(counts, "metadata", merged ?? null, stored?.metadata, (value) =>
                Effect.map(json(value), (after) => keepingPlatform(value, after))
              )
            : platformRedacted(merged, json),
          dynamicVariables: detail(counts, "dynamic_variables", body.dynamic_variables, stored?.dynamicVariables, json),
          feedback: detail(counts, "feedback", body.feedback, stored?.feedback, (value) =>
            textRedacted(value, fields, options)
          ),
          customerNumber: detail(counts, "customer_number", body.customer_number, stored?.customerNumber, (value) =>
            Effect.sync(() => redactCustomerNumber(value, fields, options).slice(0, CallLimits.customerNumber))
          ),
          callEndedReason: detail(
            counts,
            "call_ended_reason",
            body.call_ended_reason,
            stored?.callEndedReason,
            (value) => Effect.sync(() => redactEndedReason(value, fields, options).slice(0, CallLimits.callEndedReason))
          )
        })
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
