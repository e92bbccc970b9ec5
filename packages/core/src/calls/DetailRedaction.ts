/** Redaction of what a delivery brings besides transcript and recording, and what it tells about the call. */
import {
  type KnownValue,
  knownValuesIn,
  RedactionCounts,
  type RedactionPlace,
  redactCustomerNumber,
  redactJson,
  type RedactOptions,
  redactText,
  type SensitiveField
} from "@earshot/redaction"
import { isPlainObject, type Json, type JsonObject } from "../kernel/Json.js"
import { mergeMetadata, PLATFORM_KEY, platformPart } from "../platforms/Envelopes.js"
import { CallLimits, type CallRecord } from "./CallRecord.js"
import type { CalledAgent, Delivery } from "./Delivery.js"
import type { ValidIngest } from "./IngestValidation.js"

/** Fields of a call besides transcript and recording that can be redacted. */
export type CallDetail = "metadata" | "dynamic_variables" | "feedback" | "customer_number"

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
const platformRedacted = (metadata: Json | null | undefined, redact: (value: Json) => Json): Json | undefined => {
  const part = platformPart(metadata)
  return part === undefined || !isPlainObject(metadata)
    ? (metadata ?? undefined)
    : { ...metadata, [PLATFORM_KEY]: keepingName(part, redact(part)) }
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

const CALL_DETAILS: ReadonlyArray<CallDetail> = ["metadata", "dynamic_variables", "feedback", "customer_number"]

/** Redacts the details, except those that are kept. */
export const makeDetails = (keep: ReadonlyArray<CallDetail>, options: RedactOptions) => {
  const redacted = new Set(CALL_DETAILS.filter((name) => !keep.includes(name)))

  /** The delivered value, or the stored one (`kept`) where it has to be redacted again. */
  const detail = <A extends Json>(
    counts: DetailCounts,
    name: CallDetail,
    given: A | null,
    kept: A | null | undefined,
    redact: (value: A) => A
  ): A | undefined => {
    const value = given ?? (redacted.has(name) ? kept : undefined)
    // What the stored value was redacted of before counts as long as the value stays.
    if (given === null) counts.keep(name)
    if (value === undefined || value === null || !redacted.has(name)) return value ?? undefined
    const after = redact(value)
    counts.sum.addDocument(name, documentText(value), documentText(after))
    return after
  }

  return {
    /** `stored` is the stored call when its details have to be redacted by more fields. */
    ofDelivery: (
      { body }: ValidIngest,
      fields: ReadonlyArray<SensitiveField>,
      stored: CallRecord | undefined,
      counts: DetailCounts
    ): Pick<Delivery, "customerNumber" | "feedback" | "metadata" | "dynamicVariables"> => {
      const json = (value: Json): Json => redactJson(value, fields, options)
      const kept = platformPart(stored?.metadata) === undefined ? undefined : (stored?.metadata ?? undefined)
      const merged = body.metadata === null ? kept : mergeMetadata(kept ?? null, body.metadata)
      return {
        metadata: redacted.has("metadata")
          ? detail<Json>(counts, "metadata", merged ?? null, stored?.metadata, (value) =>
              keepingPlatform(value, json(value))
            )
          : platformRedacted(merged, json),
        dynamicVariables: detail(counts, "dynamic_variables", body.dynamic_variables, stored?.dynamicVariables, json),
        feedback: detail(counts, "feedback", body.feedback, stored?.feedback, (value) =>
          redactText(value, fields, options)
        ),
        customerNumber: detail(counts, "customer_number", body.customer_number, stored?.customerNumber, (value) =>
          redactCustomerNumber(value, fields, options).slice(0, CallLimits.customerNumber)
        )
      }
    },
    /** A person's feedback that is stored, before and after it is redacted. */
    ofReviewer: (
      { feedback, feedbackByPerson }: CallRecord,
      fields: ReadonlyArray<SensitiveField>
    ): Delivery["redactedFeedback"] =>
      feedbackByPerson && feedback !== null && redacted.has("feedback")
        ? { from: feedback, to: redactText(feedback, fields, options) }
        : undefined,
    redactFeedback: ({ feedback, redactFields }: CallRecord): string | null =>
      feedback === null || !redacted.has("feedback") ? feedback : redactText(feedback, redactFields, options)
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
    ...knownValuesIn(body.dynamic_variables ?? before?.dynamicVariables ?? null),
    ...knownValuesIn(body.metadata ?? before?.metadata ?? null),
    { value: `This is ${agent.name}.` }
  ]
}
