/** Gathers OpenTelemetry spans into calls. */
import {
  inInterfaceOrder,
  NerProvider,
  type RedactOptions,
  type SensitiveField,
  sensitiveFields
} from "@earshot/redaction"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NotFound } from "../access/AccessErrors.js"
import { CurrentActor } from "../access/Actor.js"
import { orNotFound } from "../access/OrNotFound.js"
import { authorize, hostPermit, type Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { RedactionUnavailable } from "../calls/CallErrors.js"
import { Calls } from "../calls/Calls.js"
import { RedactionWork } from "../calls/RedactionWork.js"
import { TracedCalls } from "../calls/TracedCalls.js"
import type { CallRecord } from "../calls/CallRecord.js"
import type { RedactionConfig } from "../calls/DeliveryRedaction.js"
import { Agents } from "../catalog/Agents.js"
import type { Claim } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { JobHandler } from "../jobs/JobHandler.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { JobSignal } from "../jobs/JobSignal.js"
import {
  decodeInput,
  fieldError,
  type FieldErrors,
  Messages,
  NON_FIELD,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { Input } from "../kernel/Input.js"
import { AgentId, type CallId, type OrganizationId, type TraceId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { StorageBusy, type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { RedactingIntegrations } from "../platforms/RedactingIntegrations.js"
import { assembleCall, PLATFORMS } from "./AssembleCall.js"
import { groupSpans, type SpanGroup } from "./GroupSpans.js"
import { decodeJson } from "./OtlpJson.js"
import { decodeProtobuf } from "./OtlpProtobuf.js"
import { CONTEXT_PARTS, redactParts } from "./RedactParts.js"
import { countNames, redactNames, type StoredTrace, Trace, TraceQuery } from "./Trace.js"
import { actorOf, appliesTo, bodyOf, dueAfter, isChanged, isOfSpansAlone, scopeOf } from "./TraceRules.js"
import { SPAN_REDACTION_JOB, SpanRedactionPayload, TRACE_JOB, traceJob, TracePayload } from "./TraceJob.js"
import type { TracePart } from "./TracePart.js"
import { TraceStore } from "./TraceStore.js"

/** The body of an export request: protobuf, or parsed JSON. */
export type TraceRequest = { readonly protobuf: Uint8Array } | { readonly json: unknown }

/** Options of a request, from its query. */
export const TraceOptions = Fields.object({
  agent_id: Fields.optional(Fields.id(AgentId)),
  /** Comma-separated. */
  redact_fields: Fields.optional(Fields.text({ max: 2_000 }))
})

/** What was done with the spans of a request. */
export interface TraceReceipt {
  /** Spans with a part in a conversation. */
  readonly stored: number
  /** Spans of known kinds that have none, spans of unknown kinds, and repeated ones. */
  readonly ignored: number
  /** Spans that cannot be stored; a repetition of the request would change nothing. */
  readonly rejected: number
  /** Why spans were rejected; empty if none were. */
  readonly reason: string
}

/** Spans that this process has received, by outcome. */
export interface SpanCount {
  readonly outcome: "stored" | "ignored" | "rejected"
  readonly count: number
}

export interface TraceConfig {
  /** How long after the end of a call further spans are awaited: an exporter sends every few seconds. Default: 10 seconds. */
  readonly settle?: Duration.DurationInput
  /** How long without a span before a call whose end is unknown is stored. Default: 5 minutes. */
  readonly quiet?: Duration.DurationInput
  /** How long spans are kept after the last one. Default: 1 day. */
  readonly keep?: Duration.DurationInput
}

/** Calls from OpenTelemetry spans of the caller's organization. */
export class Traces extends Context.Tag("@earshot/core/traces/Traces")<
  Traces,
  {
    /**
     * Takes the spans of an export request (OTLP). Spans of one call are gathered by conversation, job, room or trace; its
     * call is stored by a job once its root span has ended, or after a time without spans, and again when later spans
     * arrive. The agent is the one of `{agent_id?}`, otherwise the one whose `assistant_id` the spans name.
     * `{redact_fields?}`, the fields of the stored call, and those of integrations of the platform are redacted before
     * anything is stored.
     */
    readonly receive: UseCase<
      "traces.receive",
      [request: TraceRequest, options?: Input<typeof TraceOptions>],
      TraceReceipt,
      ValidationFailed | StorageError | RedactionUnavailable
    >
    /** `{state?, cursor?, limit?}` */
    readonly list: UseCase<
      "traces.list",
      [query: Input<typeof TraceQuery>],
      Pages.Page<Trace>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"traces.read", [id: TraceId], Trace, NotFound | StorageError>
    /** Store the calls of traces, and redact stored spans. */
    readonly handlers: ReadonlyArray<JobHandler>
    /** Closes traces that get no more spans. For the periodic task. */
    readonly expire: Effect.Effect<void, StorageError>
    readonly counts: () => ReadonlyArray<SpanCount>
  }
>() {}

/** Jobs of each kind that one process runs at a time. */
const CONCURRENCY = 4

/** Parts of one call; further ones are rejected. */
const MAX_PARTS = 20_000

/** Names in spans by which their agent is looked up. */
const MAX_NAMES = 10

/** Calls of one request; the spans of further ones are rejected. */
const MAX_GROUPS = 500
const GROUPS_AT_A_TIME = 4

/** Attempts to redact new parts while concurrent requests change the call. */
const MAX_ATTEMPTS = 5

/** How long after a failure the call of a trace is tried again: an agent may have got its id meanwhile. */
const RETRY_MILLIS = 600_000

/** How long a closed trace is listed. */
const KEPT_DAYS = 30

/** Traces that one transaction closes. */
const EXPIRED_AT_A_TIME = 100

/** The payload of a job. */
const decodePayload = <A, I>(schema: Schema.Schema<A, I>, { payload }: Claim): Effect.Effect<A, JobFailed> =>
  Effect.mapError(
    Schema.decodeUnknown(schema)(payload),
    () => new JobFailed({ reason: "The job does not say which trace.", retry: false })
  )
const decodeFields = Schema.decodeUnknownEither(Schema.Array(Schema.Literal(...sensitiveFields)))

const invalid = (errors: FieldErrors) => new ValidationFailed({ errors })

const fieldsIn = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

const TOO_LATE = "Their call was stored more than a day ago."
const TOO_MANY_PARTS = `A call has no more than ${MAX_PARTS} spans.`
const TOO_MANY_CALLS = `A request has spans of no more than ${MAX_GROUPS} calls.`
const MALFORMED = "They have no valid ids, or the request has too many spans."

/** The calls that spans were stored as before, other than the one that they are of. */
const supersededBy = ({ supersededCalls, trace }: StoredTrace, callId: CallId): ReadonlyArray<CallId> =>
  [...supersededCalls, ...(trace.callId === null ? [] : [trace.callId])].filter((id) => id !== callId)

/** What a group of spans came to. */
interface GroupOutcome {
  readonly stored: number
  readonly rejected: number
  readonly reason: string
}

export const layer = (
  config: TraceConfig = {},
  redaction: RedactionConfig = {}
): Layer.Layer<
  Traces,
  never,
  | TraceStore
  | Calls
  | TracedCalls
  | Agents
  | RedactingIntegrations
  | JobQueue
  | JobSignal
  | UnitOfWork
  | NerProvider
  | RedactionWork
> =>
  Layer.effect(
    Traces,
    Effect.gen(function* () {
      const store = yield* TraceStore
      const calls = yield* Calls
      const tracedCalls = yield* TracedCalls
      const integrations = yield* RedactingIntegrations
      const agents = yield* Agents
      const queue = yield* JobQueue
      const signal = yield* JobSignal
      const work = yield* UnitOfWork
      const ner = yield* NerProvider
      const redactionWork = yield* RedactionWork
      const settle = Duration.toMillis(config.settle ?? "10 seconds")
      const quiet = Duration.toMillis(config.quiet ?? "5 minutes")
      const keep = Duration.toMillis(config.keep ?? "1 day")
      const { fill: _, keepDetails: _kept, ...redactOptions } = redaction
      const options: RedactOptions = redactOptions
      const counts = { stored: 0, ignored: 0, rejected: 0 }

      const redact = (
        parts: ReadonlyArray<TracePart>,
        context: ReadonlyArray<TracePart>,
        fields: ReadonlyArray<SensitiveField>
      ) =>
        redactParts(parts, context, fields, options).pipe(
          Effect.provideService(NerProvider, ner),
          Effect.provideService(RedactionWork, redactionWork)
        )

      /** Enqueues the job of a trace, unless one runs early enough; returns the trace as it is to be saved. */
      const schedule = (stored: StoredTrace, dueMillis: number) =>
        stored.jobMillis !== null && stored.jobMillis <= dueMillis
          ? Effect.succeed({ ...stored, dueMillis })
          : Effect.as(queue.enqueue(traceJob(stored.trace.organizationId, stored.trace.id, dueMillis)), {
              ...stored,
              dueMillis,
              jobMillis: dueMillis
            })

      const rejectedOf = ({ parts }: SpanGroup, reason: string): GroupOutcome => ({
        stored: 0,
        rejected: parts.length,
        reason
      })

      /**
       * Adds the parts of a group to its trace. With fields to redact, the parts were redacted by what was stored before:
       * undefined if that has changed.
       */
      const add = (
        permit: Permit<"calls:write">,
        address: { readonly scope: string; readonly keys: ReadonlyArray<string> },
        group: SpanGroup,
        given: {
          readonly agentId: AgentId | null
          readonly fields: ReadonlyArray<SensitiveField>
          readonly rewritten: ReadonlyArray<readonly [TraceId, ReadonlyArray<TracePart>]>
          readonly base: ReadonlyArray<StoredTrace> | undefined
        }
      ) =>
        work.atomically(
          Effect.gen(function* () {
            const now = yield* DateTime.now
            const claimed = yield* store.claim(
              permit,
              address,
              { agentId: given.agentId, redactFields: given.fields },
              now
            )
            if (isChanged(claimed, given.base, given.fields)) return undefined
            const { trace } = claimed
            if (trace.state === "closed") return rejectedOf(group, TOO_LATE)
            const room = Math.max(0, MAX_PARTS - trace.spans)
            const parts = group.parts.slice(0, room)
            for (const [, rewritten] of given.rewritten) yield* store.replaceParts(trace.id, rewritten)
            const added = yield* store.addParts(trace.id, parts)
            const changed: StoredTrace = {
              ...claimed,
              version: claimed.version + (added > 0 || given.rewritten.length > 0 ? 1 : 0),
              trace: new Trace({
                ...trace,
                redactFields: given.fields.length === 0 ? trace.redactFields : given.fields,
                spans: trace.spans + added,
                unknownSpans: trace.unknownSpans + group.unknown.length,
                // All of them, since one of the traces that are one now may have been received without fields.
                unknownNames: redactNames(countNames(trace.unknownNames, group.unknown), given.fields, options),
                lastSpanAt: now
              })
            }
            const isDue = changed.version !== changed.ingestedVersion && changed.trace.spans > 0
            const due = dueAfter(claimed, group.endsCall, now.epochMillis, { quiet, settle })
            yield* store.save(permit, isDue ? yield* schedule(changed, due) : changed)
            const rejected = group.parts.length - parts.length
            const outcome: GroupOutcome = { stored: added, rejected, reason: rejected === 0 ? "" : TOO_MANY_PARTS }
            return outcome
          })
        )

      /** The agent of spans that name one. */
      const agentAmong = (permit: Permit, { parts }: SpanGroup, agentId: AgentId | null) =>
        Effect.gen(function* () {
          const named = parts.flatMap(({ facts }) => facts?.assistantIds ?? [])
          const references =
            agentId === null
              ? [...new Set(named)].slice(0, MAX_NAMES).map((assistantId) => ({ assistantId }))
              : [{ agent: agentId }]
          for (const reference of references) {
            const found = yield* Effect.either(agents.resolve(permit, reference))
            if (Either.isRight(found)) return found.right
            if (found.left._tag !== "ValidationFailed") return yield* found.left
          }
          return undefined
        })

      /** The fields of the integrations that would receive the events of the same call. */
      const integrationFields = (permit: Permit<"calls:write">, group: SpanGroup, agentId: AgentId | null) =>
        Effect.gen(function* () {
          const platforms = new Set(group.parts.map(({ source }) => PLATFORMS[source]))
          const redacting = yield* Effect.forEach(
            [...platforms].filter((platform) => platform !== undefined),
            (platform) => integrations.ofPlatform(permit, platform)
          )
          if (redacting.flat().length === 0) return []
          const agent = yield* agentAmong(permit, group, agentId)
          return redacting
            .flat()
            .filter((integration) => appliesTo(integration, agent, permit))
            .flatMap(({ redactFields }) => redactFields)
        })

      const receiveGroup = (
        permit: Permit<"calls:write">,
        scope: string,
        group: SpanGroup,
        agentId: AgentId | null,
        requested: ReadonlyArray<SensitiveField>,
        attempt = 1
      ): Effect.Effect<GroupOutcome, StorageError | RedactionUnavailable> =>
        Effect.gen(function* () {
          const address = { scope, keys: group.keys }
          const base = yield* store.find(permit, address)
          const fields = inInterfaceOrder([
            ...requested,
            ...base.flatMap(({ trace }) => trace.redactFields),
            ...(yield* tracedCalls.redactFields(permit, { agentId, callIds: group.callIds })),
            ...(yield* integrationFields(permit, group, agentId))
          ])
          if (fields.length === 0) {
            const outcome = yield* add(permit, address, group, { agentId, fields, rewritten: [], base: undefined })
            return outcome ?? (yield* retried(permit, scope, group, agentId, requested, attempt))
          }
          const isExtended = ({ trace }: StoredTrace): boolean => fields.length > trace.redactFields.length
          const stored = yield* Effect.forEach(base, (one) =>
            Effect.map(
              store.parts(one.trace.id, isExtended(one) ? MAX_PARTS : CONTEXT_PARTS),
              (parts) => [one, parts] as const
            )
          )
          const rewritten = yield* Effect.forEach(
            stored.filter(([one]) => isExtended(one)),
            ([one, parts]) => Effect.map(redact(parts, [], fields), (redacted) => [one.trace.id, redacted] as const)
          )
          const parts = yield* redact(
            group.parts,
            stored.flatMap(([, before]) => before.slice(-CONTEXT_PARTS)),
            fields
          )
          const outcome = yield* add(permit, address, { ...group, parts }, { agentId, fields, rewritten, base })
          return outcome ?? (yield* retried(permit, scope, group, agentId, requested, attempt))
        })

      const retried = (
        permit: Permit<"calls:write">,
        scope: string,
        group: SpanGroup,
        agentId: AgentId | null,
        requested: ReadonlyArray<SensitiveField>,
        attempt: number
      ): Effect.Effect<GroupOutcome, StorageError | RedactionUnavailable> =>
        attempt < MAX_ATTEMPTS
          ? receiveGroup(permit, scope, group, agentId, requested, attempt + 1)
          : new StorageBusy({ operation: "Traces.receive" })

      const optionsOf = (permit: Permit<"calls:write">, input: unknown) =>
        Effect.gen(function* () {
          const { agent_id: agentId, redact_fields: names } = yield* decodeInput(TraceOptions, input ?? {})
          const requested = fieldsIn(names ?? "")
          const unknown = requested.filter((name) => Either.isLeft(decodeFields([name])))
          if (unknown.length > 0) {
            return yield* invalid(
              fieldError("redact_fields", ...unknown.map((name) => Messages.notAChoice(name, sensitiveFields)))
            )
          }
          if (agentId !== undefined) {
            yield* agents
              .resolve(permit, { agent: agentId })
              .pipe(
                Effect.catchTag("ValidationFailed", ({ errors }) => invalid({ agent_id: Object.values(errors).flat() }))
              )
          }
          return { agentId, fields: Either.getOrElse(decodeFields(requested), () => []) }
        })

      const receive = (permit: Permit<"calls:write">, request: TraceRequest, input: unknown) =>
        Effect.gen(function* () {
          const { agentId, fields } = yield* optionsOf(permit, input)
          const decoded = "protobuf" in request ? decodeProtobuf(request.protobuf) : decodeJson(request.json)
          if (Either.isLeft(decoded)) {
            return yield* invalid(fieldError(NON_FIELD, `The body is not an OTLP trace request: ${decoded.left}.`))
          }
          const { rejected: malformed, spans } = decoded.right
          const { groups } = groupSpans(spans)
          const scope = scopeOf(permit, agentId)
          const outcomes = yield* Effect.forEach(
            groups.slice(0, MAX_GROUPS),
            (group) => receiveGroup(permit, scope, group, agentId ?? null, fields),
            { concurrency: GROUPS_AT_A_TIME }
          )
          yield* signal.notify
          const all: ReadonlyArray<GroupOutcome> = [
            { stored: 0, rejected: malformed, reason: malformed === 0 ? "" : MALFORMED },
            ...outcomes,
            ...groups.slice(MAX_GROUPS).map((group) => rejectedOf(group, TOO_MANY_CALLS))
          ]
          const stored = all.reduce((sum, one) => sum + one.stored, 0)
          const rejected = all.reduce((sum, one) => sum + one.rejected, 0)
          const receipt: TraceReceipt = {
            stored,
            rejected,
            ignored: spans.length + malformed - stored - rejected,
            reason: [...new Set(all.map(({ reason }) => reason))].filter((reason) => reason !== "").join(" ")
          }
          counts.stored += receipt.stored
          counts.ignored += receipt.ignored
          counts.rejected += receipt.rejected
          return receipt
        })

      /** What names the agent of a call in the body of its ingest, or why no agent is found. */
      const agentOf = (permit: Permit, { trace }: StoredTrace, assistantIds: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          if (trace.agentId !== null) return Either.right({ agent: trace.agentId })
          for (const assistantId of assistantIds) {
            const found = yield* Effect.either(agents.resolve(permit, { assistantId }))
            if (Either.isRight(found)) return Either.right({ agent: found.right.id })
            if (found.left._tag !== "ValidationFailed") return yield* found.left
          }
          return Either.left(
            assistantIds.length === 0
              ? "No span names an agent: add agent_id to the exporter's URL."
              : `No agent has one of these as its assistant_id: ${assistantIds.join(", ")}.`
          )
        })

      /** Stores the call of a trace; the reason if it cannot be stored. */
      const ingest = (stored: StoredTrace, parts: ReadonlyArray<TracePart>) =>
        Effect.gen(function* () {
          const assembled = assembleCall(parts)
          if (assembled === undefined) return Either.left("It has no span with a part in a conversation.")
          const actor = actorOf(stored)
          const permit = yield* Effect.orDie(authorize(actor, "calls.ingest"))
          const agent = yield* agentOf(permit, stored, assembled.assistantIds)
          if (Either.isLeft(agent)) return Either.left(agent.left)
          return yield* calls.ingest(bodyOf(assembled, stored, agent.right)).pipe(
            Effect.map(({ call }) => Either.right({ call, note: assembled.transcriptError ?? null })),
            Effect.catchTag("ValidationFailed", ({ errors }) =>
              Effect.succeed(
                Either.left(
                  Object.entries(errors)
                    .map(([path, messages]) => `${path}: ${messages.join(" ")}`)
                    .join(" ")
                )
              )
            ),
            Effect.provideService(CurrentActor, actor),
            // The host's actor may ingest, and may read what it has ingested.
            Effect.catchTags({ Forbidden: Effect.die, Unauthenticated: Effect.die, ResultWithheld: Effect.die })
          )
        })

      /** Deletes calls that were stored of spans of another call; what anything else knows of a call stays. */
      const removeSuperseded = (organizationId: OrganizationId, ids: ReadonlyArray<CallId>) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          yield* tracedCalls.removeIf(yield* hostPermit(organizationId, "calls.delete"), ids, isOfSpansAlone)
        })

      const finish = (
        claim: Claim,
        permit: Permit<"calls:write">,
        id: TraceId,
        version: number,
        outcome: Either.Either<{ readonly call: CallRecord; readonly note: string | null }, string>
      ) =>
        work.atomically(
          Effect.gen(function* () {
            if (!(yield* queue.isLeaseValid(claim))) {
              return yield* new JobFailed({ reason: "Its lease was lost.", retry: true })
            }
            const found = yield* store.findForUpdate(permit, id)
            if (Option.isNone(found)) return
            const { value: stored } = found
            const isLatest = stored.version === version
            const trace = new Trace({
              ...stored.trace,
              ...Either.match(outcome, {
                onLeft: (error) => ({ state: "failed" as const, error }),
                onRight: ({ call, note }) => ({ state: "stored" as const, callId: call.id, error: note })
              })
            })
            const superseded = Either.isLeft(outcome) ? [] : supersededBy(stored, outcome.right.call.id)
            const next = {
              ...stored,
              trace,
              supersededCalls: Either.isLeft(outcome) ? stored.supersededCalls : [],
              ingestedVersion: Either.isRight(outcome) ? version : stored.ingestedVersion,
              dueMillis: isLatest ? null : stored.dueMillis
            }
            const now = (yield* DateTime.now).epochMillis
            yield* store.save(
              permit,
              Either.isLeft(outcome) && isLatest ? yield* schedule(next, now + RETRY_MILLIS) : next
            )
            yield* removeSuperseded(claim.organizationId, yield* store.withoutTrace(permit, superseded))
          })
        )

      /** Redacts the stored spans of a trace by further fields; the change of its version, if there was anything to do. */
      const redactStored = (
        permit: Permit<"calls:write">,
        id: TraceId,
        further: ReadonlyArray<SensitiveField>,
        attempt = 1
      ): Effect.Effect<
        { readonly from: number; readonly to: number } | undefined,
        StorageError | RedactionUnavailable
      > =>
        Effect.gen(function* () {
          const read = Option.getOrUndefined(yield* work.atomically(store.findForUpdate(permit, id)))
          if (read === undefined) return undefined
          const fields = inInterfaceOrder([...read.trace.redactFields, ...further])
          if (fields.length === read.trace.redactFields.length) return undefined
          const parts = yield* redact(yield* store.parts(id, MAX_PARTS), [], fields)
          const changed = yield* work.atomically(
            Effect.gen(function* () {
              const stored = Option.getOrUndefined(yield* store.findForUpdate(permit, id))
              if (stored === undefined || stored.version !== read.version) return undefined
              const to = stored.version + 1
              if (stored.trace.state !== "closed") yield* store.replaceParts(id, parts)
              yield* store.save(permit, {
                ...stored,
                version: to,
                // The call itself is redacted by its own delivery.
                ingestedVersion: stored.ingestedVersion === stored.version ? to : stored.ingestedVersion,
                trace: new Trace({
                  ...stored.trace,
                  redactFields: fields,
                  unknownNames: redactNames(stored.trace.unknownNames, fields, options)
                })
              })
              return { from: stored.version, to }
            })
          )
          if (changed !== undefined) return changed
          return attempt < MAX_ATTEMPTS
            ? yield* redactStored(permit, id, further, attempt + 1)
            : yield* new StorageBusy({ operation: "Traces.redactStored" })
        })

      const unavailable = ({ message }: RedactionUnavailable) => new JobFailed({ reason: message, retry: true })

      const redactSpans = (claim: Claim) =>
        Effect.gen(function* () {
          const { redact_fields: fields, trace: id } = yield* decodePayload(SpanRedactionPayload, claim)
          const permit = yield* hostPermit(claim.organizationId, "traces.receive")
          yield* redactStored(permit, id, fields).pipe(Effect.catchTag("RedactionUnavailable", unavailable))
        })

      const storeCall = (claim: Claim) =>
        Effect.gen(function* () {
          const { trace: id } = yield* decodePayload(TracePayload, claim)
          const permit = yield* hostPermit(claim.organizationId, "traces.receive")
          const due = yield* work.atomically(
            Effect.gen(function* () {
              const found = Option.getOrUndefined(yield* store.findForUpdate(permit, id))
              if (found === undefined) return undefined
              const now = (yield* DateTime.now).epochMillis
              const taken = { ...found, jobMillis: null }
              const isOpen = found.trace.state !== "closed" && found.version !== found.ingestedVersion
              const isDue = isOpen && found.dueMillis !== null && found.dueMillis <= now
              yield* store.save(
                permit,
                isOpen && found.dueMillis !== null && !isDue ? yield* schedule(taken, found.dueMillis) : taken
              )
              return isDue ? taken : undefined
            })
          )
          if (due === undefined) return
          const parts = yield* store.parts(id, MAX_PARTS)
          const { outcome, redacted } = yield* Effect.gen(function* () {
            const ingested = yield* ingest(due, parts)
            // Other deliveries of the call may have asked for more than its spans did.
            return {
              outcome: ingested,
              redacted: Either.isRight(ingested)
                ? yield* redactStored(permit, id, ingested.right.call.redactFields)
                : undefined
            }
          }).pipe(Effect.catchTag("RedactionUnavailable", unavailable))
          yield* finish(claim, permit, id, redacted?.from === due.version ? redacted.to : due.version, outcome)
        })

      return Traces.of({
        handlers: [
          { kind: TRACE_JOB, concurrency: CONCURRENCY, run: storeCall },
          { kind: SPAN_REDACTION_JOB, concurrency: CONCURRENCY, run: redactSpans }
        ],
        counts: () => [
          { outcome: "stored", count: counts.stored },
          { outcome: "ignored", count: counts.ignored },
          { outcome: "rejected", count: counts.rejected }
        ],
        expire: Effect.gen(function* () {
          for (;;) {
            const now = yield* DateTime.now
            const before = {
              closed: DateTime.subtract(now, { millis: keep }),
              deleted: DateTime.subtract(now, { days: KEPT_DAYS })
            }
            const closed = yield* work.atomically(store.expire(before, EXPIRED_AT_A_TIME))
            if (closed < EXPIRED_AT_A_TIME) return
          }
        }),
        receive: useCase("traces.receive")(receive),
        list: useCase("traces.list")((permit, query) =>
          Pages.paginate(TraceQuery, query, (page, { state }) => store.list(permit, { state }, page))
        ),
        read: useCase("traces.read")((permit, id) => orNotFound("Trace")(store.read(permit, id)))
      })
    })
  )
