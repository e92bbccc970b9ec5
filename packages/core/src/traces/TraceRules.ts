/** Rules of traces: whose they are, when their calls are stored, and as what. Pure. */
import type { SensitiveField } from "@earshot/redaction"
import * as Schema from "effect/Schema"
import { type Actor, hostActor, type ResourceScope, ResourceType } from "../access/Actor.js"
import { type Permit, scopeKey } from "../access/Permit.js"
import type { CallRecord } from "../calls/CallRecord.js"
import type { Agent } from "../catalog/Agent.js"
import type { AgentId } from "../kernel/Ids.js"
import { isPlainObject, type JsonObject } from "../kernel/Json.js"
import type { Integration } from "../platforms/Integration.js"
import { DecodedTranscript } from "../transcripts/DecodedTranscript.js"
import type { AssembledCall } from "./AssembleCall.js"
import type { StoredTrace } from "./Trace.js"

/** The scopes of a sender, and the agent that it names: spans of senders that differ in them are of different calls. */
export const scopeOf = (permit: Permit, agent: AgentId | undefined): string => `${scopeKey(permit)};${agent ?? ""}`

const isType = Schema.is(ResourceType)

/** The resource scopes in the text of `scopeOf`. */
const boundsIn = (scope: string): ReadonlyArray<ResourceScope> | null => {
  const [scopes = ""] = scope.split(";", 1)
  return scopes === ""
    ? null
    : scopes.split(",").flatMap((one) => {
        const [type, id] = one.split(":")
        return isType(type) ? [{ type, id: Number(id) }] : []
      })
}

/** The host on behalf of the sender of spans, limited to the sender's scopes. */
export const actorOf = ({ scope, trace }: StoredTrace): Actor => ({
  ...hostActor(trace.organizationId),
  credentialId: `trace:${trace.id}`,
  bounds: boundsIn(scope)
})

/**
 * Whether an integration's fields to redact apply to spans: it is their agent's or, while their agent is unknown, that of an
 * agent in the scopes of their sender.
 */
export const appliesTo = (
  { agentId, projectId }: Pick<Integration, "agentId" | "projectId">,
  agent: Pick<Agent, "id" | "projectId"> | undefined,
  { bounds }: Pick<Permit, "bounds">
): boolean => {
  if (agent !== undefined) return agentId === null ? projectId === agent.projectId : agentId === agent.id
  if (bounds === null) return true
  const isAgents = agentId === null && bounds.some(({ type }) => type === "agent")
  return (
    isAgents ||
    bounds.some(({ id, type }) => (type === "project" ? id === projectId : type === "agent" && id === agentId))
  )
}

/** Whether a call was made of spans alone, so that it goes when its spans turn out to be of another call. */
export const isOfSpansAlone = ({ feedback, isReviewed, metadata, recording }: CallRecord): boolean => {
  if (isReviewed || feedback !== null || recording !== null || !isPlainObject(metadata)) return false
  const { platform, trace } = metadata
  return isPlainObject(trace) && (platform === undefined || (isPlainObject(platform) && platform.event === TRACE_EVENT))
}

/** The time at which the call of a trace is to be stored, after spans have arrived. */
export const dueAfter = (
  { dueMillis, trace }: Pick<StoredTrace, "dueMillis"> & { readonly trace: Pick<StoredTrace["trace"], "state"> },
  endsCall: boolean,
  now: number,
  { quiet, settle }: { readonly quiet: number; readonly settle: number }
): number =>
  // Once its end is known, further spans only wait for those that are sent with them.
  endsCall || trace.state === "stored" || (dueMillis !== null && dueMillis <= now + settle) ? now + settle : now + quiet

/** What the metadata of a call says instead of a platform's event. */
const TRACE_EVENT = "trace"

/** The body of an ingest of a call. */
export const bodyOf = (assembled: AssembledCall, { trace }: StoredTrace, agent: { readonly agent: AgentId }) => {
  const { callId, customerNumber, details, durationSeconds, endedReason, platform, source, startedAt, transcript } =
    assembled
  const metadata: JsonObject = {
    ...(platform === undefined ? {} : { platform: { name: platform, event: TRACE_EVENT } }),
    trace: { source, ...details, spans: trace.spans, unknown_spans: trace.unknownSpans, unknown: trace.unknownNames }
  }
  return {
    call_id: callId,
    ...agent,
    trace_id: assembled.traceId,
    ...(platform === undefined ? {} : { transcript_type: platform }),
    ...(transcript === undefined ? {} : { transcript_json: new DecodedTranscript(transcript) }),
    ...(startedAt === undefined ? {} : { timestamp: new Date(startedAt).toISOString() }),
    ...(durationSeconds === undefined ? {} : { duration_seconds: durationSeconds }),
    ...(endedReason === undefined ? {} : { call_ended_reason: [...endedReason].slice(0, 100).join("") }),
    ...(customerNumber === undefined ? {} : { customer_number: [...customerNumber].slice(0, 100).join("") }),
    metadata,
    ...(trace.redactFields.length === 0 ? {} : { redact_fields: trace.redactFields })
  }
}

/**
 * Whether a trace has changed since new parts were redacted by the traces of its keys. `base` are those of then; undefined if
 * nothing was redacted, which matters only if there is something to redact now.
 */
export const isChanged = (
  { trace, version }: StoredTrace,
  base: ReadonlyArray<StoredTrace> | undefined,
  fields: ReadonlyArray<SensitiveField>
): boolean =>
  base === undefined
    ? trace.redactFields.length > fields.length
    : version !== base.reduce((sum, one) => sum + one.version, 0)
