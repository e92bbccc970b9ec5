/** Receives the webhooks of voice platforms as the platforms send them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { NotFound, type RateLimited, type Unauthenticated } from "../access/AccessErrors.js"
import { type Actor, CurrentActor, hostActor } from "../access/Actor.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import {
  decodeInput,
  type FieldErrors,
  hasFieldErrors,
  Messages,
  NON_FIELD,
  type ValidationFailed
} from "../kernel/FieldErrors.js"
import { type Input, untrusted } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, CallId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import { storableEnvelope, withoutInvalid } from "../platforms/EnvelopeRepair.js"
import { platformsOf, readEnvelope, type StatedFields, statedFields } from "../platforms/Envelopes.js"
import type { Integration } from "../platforms/Integration.js"
import { Integrations } from "../platforms/Integrations.js"
import type { SignedRequest } from "../platforms/Signature.js"
import type { PlatformEvent } from "../platforms/Envelope.js"
import { type Platform, platformAliases, platformNamed } from "../platforms/Platform.js"
import { UnreadableTranscript } from "../transcripts/DecodedTranscript.js"
import type { RedactionUnavailable } from "./CallErrors.js"
import { CallLimits } from "./CallRecord.js"
import { Calls } from "./Calls.js"
import type { Ingested } from "./IngestCalls.js"

/**
 * The outcome of an envelope: its call was stored; it is not about a finished call; its call cannot be stored, for the
 * reason in the receipt; or it is of a signed request that was accepted before.
 */
type WebhookOutcome = "stored" | "skipped" | "ignored" | "repeated"

/** The outcome of an envelope. */
export interface WebhookReceipt {
  readonly platform: Platform
  /** The platform's name of the kind of event. */
  readonly event: string
  readonly outcome: WebhookOutcome
  /** Why the envelope was ignored, or what of it was not stored. */
  readonly reason: string | undefined
  /** Undefined if nothing is stored. */
  readonly ingested: Ingested | undefined
}

/** The JSON form of a receipt. */
export const WebhookReceiptJson = Schema.Struct({
  event: Schema.String.annotations({ description: "Kind of event, as the platform names it." }),
  outcome: Schema.Literal("stored", "skipped", "ignored", "repeated").annotations({
    description:
      "skipped: the event is not about a finished call. ignored: its call cannot be stored. repeated: the same signed " +
      "request was accepted before. Nothing is stored of these three."
  }),
  reason: Schema.NullOr(Schema.String).annotations({
    description: "Why the event was ignored, or what of it was not stored; null if all of it was."
  }),
  call: Schema.NullOr(Schema.Struct({ id: CallId, call_id: Schema.String, created: Schema.Boolean })).annotations({
    description: "The stored call; null if nothing was stored."
  })
}).annotations({ identifier: "WebhookReceipt" })

export const encodeWebhookReceipt = ({
  event,
  ingested,
  outcome,
  reason
}: WebhookReceipt): typeof WebhookReceiptJson.Type => ({
  event,
  outcome,
  reason: reason ?? null,
  call:
    ingested === undefined ? null : { id: ingested.call.id, call_id: ingested.call.callId, created: ingested.created }
})

/** How often each outcome occurred in this process. */
export interface WebhookCount {
  readonly platform: Platform
  readonly outcome: WebhookOutcome
  readonly count: number
}

/** Options of an envelope that does not say them itself. */
export const WebhookOptions = Fields.object({
  agent_id: Fields.optional(Fields.id(AgentId)),
  /** Comma-separated. */
  redact_fields: Fields.optional(Fields.text({ max: 2_000 }))
})

/** `phone_number, ssn` as a list; its names are validated with the body. */
const fieldsIn = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Webhooks of voice platforms, with a caller's key or an integration's signature. */
export class PlatformWebhooks extends Context.Tag("@earshot/core/calls/PlatformWebhooks")<
  PlatformWebhooks,
  {
    /**
     * Ingests the call of an envelope, or skips an event that is not about a finished call. `platform` is a token or an
     * alias of `Platform`; an unknown one is not found. The agent is the one of `{agent_id?}`, otherwise the one whose
     * `assistant_id` the envelope states. `{redact_fields?}` are redacted as in E10.
     *
     * A platform sends an event once, and switches off a webhook that answers errors. So rows of a transcript that cannot be
     * read are left out, and an envelope of another platform or of an unknown agent is ignored; the receipt says so. Only
     * invalid options are an error.
     */
    readonly observe: UseCase<
      "calls.observe",
      [platform: string, envelope: unknown, options?: Input<typeof WebhookOptions>],
      WebhookReceipt,
      NotFound | ValidationFailed | StorageError | RedactionUnavailable
    >
    /**
     * Receives a request to the address of an integration: verifies its signature over the raw bytes, and ingests its
     * envelope with the integration's agent, fields to redact and metrics. No actor is checked: the signature is the
     * credential. Of a request that was accepted before nothing is stored; after an error the same request may be repeated.
     *
     * @param parse parses the bytes as JSON, within the caller's limits
     */
    readonly receive: <E>(
      publicId: string,
      request: SignedRequest & { readonly from?: string | undefined },
      parse: (bytes: Uint8Array) => Either.Either<unknown, E>
    ) => Effect.Effect<
      WebhookReceipt,
      E | Unauthenticated | RateLimited | ValidationFailed | StorageError | RedactionUnavailable
    >
    readonly counts: () => ReadonlyArray<WebhookCount>
    /** Requests to addresses of integrations that were refused since the process started. */
    readonly refusals: () => number
  }
>() {}

/** The host on behalf of an integration, limited to its agent or project. */
const actorOf = ({ agentId, id, organizationId, projectId }: Integration): Actor => ({
  ...hostActor(organizationId),
  credentialId: `integration:${id}`,
  bounds: [agentId === null ? { type: "project", id: projectId } : { type: "agent", id: agentId }]
})

/** The fields that a sender of envelopes adds to what an envelope states. */
export interface AddedFields {
  readonly agent?: AgentId
  readonly redact_fields?: ReadonlyArray<string>
  readonly metric_ids?: string
}

/** The body of E10 for an envelope. An agent that is named wins over the envelope's. */
const bodyOf = (
  platform: Platform,
  envelope: unknown,
  { assistant_id: assistant, call_id }: StatedFields,
  added: AddedFields
): Readonly<Record<string, unknown>> => ({
  ...(call_id === undefined ? {} : { call_id }),
  ...(added.agent === undefined && assistant !== undefined ? { assistant_id: assistant } : {}),
  transcript_type: platform,
  transcript_json: envelope,
  ...added
})

/** The name that a platform has for itself. */
const aliasOf = (platform: Platform): string =>
  Object.entries(platformAliases).find(([, token]) => token === platform)?.[0] ?? platform

const notAnEnvelope = (platform: Platform, input: unknown): string => {
  const others = platformsOf(input)
  const hint = others.length === 0 ? "" : ` It looks like one of ${others.map(aliasOf).join(" or ")}.`
  return `The body is not an envelope of ${aliasOf(platform)} (${platform}).${hint}`
}

const TRANSCRIPT = "transcript_json"
const METRICS = "metric_ids"

const isOf = (field: string, path: string): boolean =>
  path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)

const hasErrorsOf = (field: string, errors: FieldErrors): boolean =>
  Object.keys(errors).some((path) => isOf(field, path))

const hasOnlyErrorsOf = (field: string, errors: FieldErrors): boolean =>
  Object.keys(errors).every((path) => isOf(field, path))

/** The envelope is the body, so the paths of errors in it begin there. */
const pathsInEnvelope = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => {
      const within = isOf(TRANSCRIPT, path) ? path.slice(TRANSCRIPT.length).replace(/^\./, "") : path
      return [within === "" ? NON_FIELD : within, messages]
    })
  )

/** Errors that a receipt lists. */
const LISTED_ERRORS = 5

const listed = (errors: FieldErrors): string => {
  const all = Object.entries(pathsInEnvelope(errors)).map(([path, messages]) =>
    path === NON_FIELD ? messages.join(" ") : `${path}: ${messages.join(" ")}`
  )
  const more = all.length - LISTED_ERRORS
  return [...all.slice(0, LISTED_ERRORS), ...(more > 0 ? [`${more} more errors.`] : [])].join(" ")
}

/** Without the metrics that do not exist any more. Where none is left, the call has those that the agent's calls have by default. */
const withoutMetrics = ({ metric_ids: given, ...others }: AddedFields, errors: ReadonlyArray<string>): AddedFields => {
  const kept = given?.split(",").filter((id) => !errors.includes(Messages.unknownId(id))) ?? []
  return kept.length === 0 ? others : { ...others, metric_ids: kept.join(",") }
}

const leftOut = (errors: FieldErrors): string => `What could not be read was left out: ${listed(errors)}`

/** Attempts at an envelope: items inside rows are left out first, then whole rows, then the transcript. */
const MAX_ATTEMPTS = 4

export const layer = Layer.effect(
  PlatformWebhooks,
  Effect.gen(function* () {
    const calls = yield* Calls
    const integrations = yield* Integrations
    const counts = new Map<
      string,
      { readonly platform: Platform; readonly outcome: WebhookCount["outcome"]; count: number }
    >()
    const add = (platform: Platform, outcome: WebhookCount["outcome"]) =>
      Effect.sync(() => {
        const key = `${platform} ${outcome}`
        const known = counts.get(key)
        if (known === undefined) counts.set(key, { platform, outcome, count: 1 })
        else known.count += 1
      })

    /** The ingest of an envelope, with what was left out of it; undefined with the reason if it cannot be stored. */
    const ingest = (platform: Platform, event: PlatformEvent, envelope: unknown, added: AddedFields) => {
      const stated = statedFields(platform, event, CallLimits)
      const attempt = (
        current: unknown,
        fields: AddedFields,
        reason: string | undefined,
        count: number
      ): Effect.Effect<
        { readonly ingested: Ingested | undefined; readonly reason: string | undefined },
        Effect.Effect.Error<ReturnType<typeof calls.ingest>>,
        CurrentActor
      > => {
        const body = bodyOf(platform, current, stated, fields)
        return calls.ingest(untrusted(body)).pipe(
          Effect.map((ingested) => ({ ingested, reason })),
          Effect.catchTag("ValidationFailed", (error) => {
            const { errors } = error
            // Without them the call would be stored unredacted.
            if (hasErrorsOf("redact_fields", errors)) return Effect.fail(error)
            const { [METRICS]: ofMetrics = [], ...ofTranscript } = errors
            if (count === MAX_ATTEMPTS || !hasOnlyErrorsOf(TRANSCRIPT, ofTranscript)) {
              return Effect.succeed({ ingested: undefined, reason: listed(errors) })
            }
            return attempt(
              hasFieldErrors(ofTranscript) ? withoutErrors(current, ofTranscript, count) : current,
              withoutMetrics(fields, ofMetrics),
              reason ?? leftOut(errors),
              count + 1
            )
          })
        )
      }
      const withoutErrors = (current: unknown, errors: FieldErrors, count: number): unknown =>
        (count < MAX_ATTEMPTS - 1
          ? withoutInvalid(storableEnvelope(current), pathsInEnvelope(errors), count > 1)
          : undefined) ?? new UnreadableTranscript(storableEnvelope(envelope))
      return attempt(envelope, added, undefined, 1)
    }

    const receive = (platform: Platform, envelope: unknown, added: AddedFields) =>
      Effect.gen(function* () {
        const event = readEnvelope(platform, envelope)
        const received =
          event === undefined
            ? { ingested: undefined, reason: notAnEnvelope(platform, envelope) }
            : event.isFinished
              ? yield* ingest(platform, event, envelope, added)
              : undefined
        const outcome: WebhookOutcome =
          received === undefined ? "skipped" : received.ingested === undefined ? "ignored" : "stored"
        yield* add(platform, outcome)
        const receipt: WebhookReceipt = {
          platform,
          event: event?.event ?? "unknown",
          outcome,
          reason: received?.reason,
          ingested: received?.ingested
        }
        return receipt
      })

    const repeated = (platform: Platform, envelope: unknown): Effect.Effect<WebhookReceipt> =>
      Effect.as(add(platform, "repeated"), {
        platform,
        event: readEnvelope(platform, envelope)?.event ?? "unknown",
        outcome: "repeated",
        reason: "The same request was accepted before.",
        ingested: undefined
      })

    return PlatformWebhooks.of({
      observe: useCase("calls.observe")(
        (_permit, name: string, envelope: unknown, options?: unknown) =>
          Effect.gen(function* () {
            const platform = platformNamed(name)
            if (platform === undefined) return yield* new NotFound({ resource: "Platform" })
            const { agent_id: agent, redact_fields: redact } = yield* decodeInput(WebhookOptions, options ?? {})
            return yield* receive(platform, envelope, {
              ...(agent === undefined ? {} : { agent }),
              ...(redact === undefined ? {} : { redact_fields: fieldsIn(redact) })
            })
          }),
        // It has the ids of a call and nothing that is stored of it.
        (received) => ({ receipt: encodeWebhookReceipt(received), created: received.ingested?.created ?? false })
      ),
      receive: (publicId, request, parse) =>
        Effect.gen(function* () {
          const hook = yield* integrations.verify(publicId, request, request.from)
          const { integration } = hook
          const envelope = yield* parse(request.body)
          if (hook.isRepeated) return yield* repeated(integration.platform, envelope)
          const { agentId, metricIds, redactFields } = integration
          const received = yield* receive(integration.platform, envelope, {
            ...(agentId === null ? {} : { agent: agentId }),
            ...(redactFields.length === 0 ? {} : { redact_fields: redactFields }),
            ...(metricIds.length === 0 ? {} : { metric_ids: metricIds.join(",") })
          }).pipe(
            Effect.provideService(CurrentActor, actorOf(integration)),
            // The host's actor may ingest, and may read what it has ingested.
            Effect.catchTags({ Forbidden: Effect.die, Unauthenticated: Effect.die, ResultWithheld: Effect.die })
          )
          // The same request may be sent again once the reason is gone.
          if (received.outcome !== "ignored") yield* integrations.accepted(hook)
          return received
        }),
      counts: () => [...counts.values()],
      refusals: integrations.refusals
    })
  })
)
