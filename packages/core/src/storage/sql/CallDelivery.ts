/** What the writers of deliveries have in common: a delivery in the queue, its outcome, and the order of a group. */
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { CallDeleted, RedactionIncomplete } from "../../calls/CallErrors.js"
import type { DeliveryOutcome } from "../../calls/CallStore.js"
import type { Delivery } from "../../calls/Delivery.js"
import { firstRecord } from "../../calls/RedeliveryRules.js"
import { AgentId, CallId } from "../../kernel/Ids.js"
import type { StorageError } from "../../kernel/Storage.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import { documentText } from "./Rows.js"

/** A delivery in the queue, its texts made beforehand so that the transaction stays short. */
export interface PendingDelivery {
  readonly delivery: Delivery
  readonly transcript: string | null
  readonly metadata: string | null
  readonly dynamicVariables: string | null
}

/** A delivery and its position in the group. */
export interface GroupedDelivery {
  readonly pending: PendingDelivery
  readonly position: number
  /** Agent and call id, which identify the call. */
  readonly key: string
}

export type Outcome = Exit.Exit<DeliveryOutcome, StorageError | RedactionIncomplete | CallDeleted>

/** Writes a group in one transaction, and answers the outcome of each delivery in order. */
export type WriteGroup = (items: ReadonlyArray<PendingDelivery>) => Effect.Effect<ReadonlyArray<Outcome>, StorageError>

/** Writes the deliveries of calls that are there already, and sets their outcomes. */
export type Redeliver = (
  found: ReadonlyArray<GroupedDelivery>,
  outcomes: Array<Outcome>
) => Effect.Effect<void, SqlError | ParseResult.ParseError>

const storedText = (transcript: Delivery["transcript"]): string | null =>
  transcript === undefined ? null : (transcript.printed?.stored ?? StoredTranscript.print(transcript.content))

export const pendingDelivery = (delivery: Delivery): PendingDelivery => ({
  delivery,
  transcript: storedText(delivery.transcript),
  metadata: documentText(delivery.metadata),
  dynamicVariables: documentText(delivery.dynamicVariables)
})

export const keyOf = (agentId: number, callId: string): string => `${agentId} ${callId}`

/**
 * The first delivery of each call in a group, and those that repeat one. A delivery with a merge base never creates a
 * call.
 */
export const splitGroup = (
  items: ReadonlyArray<PendingDelivery>
): readonly [firsts: ReadonlyMap<string, GroupedDelivery>, redeliveries: Array<GroupedDelivery>] => {
  const firsts = new Map<string, GroupedDelivery>()
  const redeliveries: Array<GroupedDelivery> = []
  items.forEach((pending, position) => {
    const one = { pending, position, key: keyOf(pending.delivery.agent.id, pending.delivery.callId) }
    if (firsts.has(one.key) || pending.delivery.mergeBase !== undefined) redeliveries.push(one)
    else firsts.set(one.key, one)
  })
  return [firsts, redeliveries]
}

export const inOrder = (deliveries: ReadonlyArray<GroupedDelivery>): ReadonlyArray<GroupedDelivery> =>
  deliveries.toSorted((a, b) => a.position - b.position)

/** Stands for the id that the database has not given yet. */
export const NO_ID = CallId.make(1)

export const created = (one: GroupedDelivery, id: CallId): Outcome =>
  Exit.succeed({
    call: firstRecord(one.pending.delivery, id),
    created: true,
    transcriptChanged: one.pending.delivery.transcript !== undefined,
    released: []
  })

/** Runs a statement that is a text of its own. */
export const execute = (connection: Connection, text: string, params: ReadonlyArray<unknown>) =>
  connection.execute(text, params, undefined)

/** Reads the rows that the inserts of new calls return. */
export const decodeInserted = Schema.decodeUnknown(
  Schema.Array(Schema.Struct({ id: CallId, agent_id: AgentId, call_id: Schema.String }))
)
