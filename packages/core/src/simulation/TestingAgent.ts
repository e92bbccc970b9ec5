/**
 * The testing agent that plays conditional actions, as a state machine: a state and the main agent's reply in, the next
 * state and the testing agent's move out. Pure. Source: interface, Conditional-actions
 * instructions; docs/runs.md.
 */
import type { ActionPart } from "../evaluators/ActionMarkup.js"
import type { ConditionalAction, ConditionalActions } from "../evaluators/ConditionalActions.js"
import { fitsDescription } from "./MatchCondition.js"

/** Consecutive replies that match no condition before the testing agent gives up. */
export const MAX_UNMATCHED = 3

export interface TestingAgentState {
  readonly conditions: ReadonlyArray<ConditionalAction>
  /** Ids of performed items, in the order of execution. */
  readonly done: ReadonlyArray<number>
  /** Replies without a match since the last performed item. */
  readonly unmatched: number
}

export type Move =
  | { readonly does: "act"; readonly item: ConditionalAction }
  /** No item applies yet: it says something to keep the conversation going. */
  | { readonly does: "wait"; readonly times: number }
  /** It hangs up: every item is done, or none has applied for too long. */
  | { readonly does: "leave"; readonly because: "script_finished" | "no_condition_met" }

export interface Step {
  readonly state: TestingAgentState
  readonly move: Move
}

/** Items that may be performed at the next reply. */
export interface Choices {
  /** Performed whatever the reply says. */
  readonly first: ConditionalAction | null
  /** The first whose description matches the reply is performed, in the order of ids. */
  readonly described: ReadonlyArray<{ readonly item: ConditionalAction; readonly description: string }>
  /** Performed if the reply matches none of the descriptions. */
  readonly otherwise: ConditionalAction | null
}

const act = (state: TestingAgentState, item: ConditionalAction): Step => ({
  state: { ...state, done: [...state.done, item.id], unmatched: 0 },
  move: { does: "act", item }
})

/** The testing agent opens with item 0. */
export const begin = ({ conditions }: ConditionalActions): Step => {
  const fresh: TestingAgentState = { conditions, done: [], unmatched: 0 }
  const [first] = conditions
  return first === undefined ? { state: fresh, move: { does: "leave", because: "script_finished" } } : act(fresh, first)
}

/**
 * The items that may be performed next, each item once:
 *
 * - An `action_followup` that refers to an item is performed at the reply after it, whatever that says; several that refer to
 *   one item are performed one reply after the other. One with a description follows the item before it in the list: until
 *   another item is performed, it is matched before all others.
 * - A `standard` item with a description is matched against every reply.
 * - A `standard` item that refers to another is performed after the other, at the first reply that matches no description.
 */
export const choices = ({ conditions, done }: TestingAgentState): Choices => {
  const isDone = new Set(done)
  const last = done.at(-1)
  const open = conditions.filter(({ id }) => !isDone.has(id))
  const first = open.find(
    ({ trigger, type }) => type === "action_followup" && trigger.on === "condition" && isDone.has(trigger.id)
  )
  const described = open.flatMap((item) =>
    item.trigger.on === "description" && (item.type === "standard" || item.id - 1 === last)
      ? [{ item, description: item.trigger.description }]
      : []
  )
  const otherwise = open.find(
    ({ trigger, type }) => type === "standard" && trigger.on === "condition" && isDone.has(trigger.id)
  )
  return {
    first: first ?? null,
    described: described.toSorted(
      (a, b) => Number(b.item.type === "action_followup") - Number(a.item.type === "action_followup")
    ),
    otherwise: otherwise ?? null
  }
}

/** The id of the first item whose description matches the reply by words; null if none does. */
export const matchByWords = ({ described }: Choices, reply: string): number | null =>
  described.find(({ description }) => fitsDescription(description, reply))?.item.id ?? null

/**
 * The testing agent's move after a reply. `matched` is the id of the item whose description the reply matches, null for
 * none. If omitted, the reply is matched by words.
 */
export const step = (state: TestingAgentState, reply: string, matched?: number | null): Step => {
  if (state.done.length === state.conditions.length) {
    return { state, move: { does: "leave", because: "script_finished" } }
  }
  const may = choices(state)
  if (may.first !== null) return act(state, may.first)
  const found = matched === undefined ? matchByWords(may, reply) : matched
  const item = may.described.find((one) => one.item.id === found)?.item ?? may.otherwise
  if (item !== null) return act(state, item)
  const unmatched = state.unmatched + 1
  return {
    state: { ...state, unmatched },
    move:
      unmatched >= MAX_UNMATCHED ? { does: "leave", because: "no_condition_met" } : { does: "wait", times: unmatched }
  }
}

/** A part of the testing agent's speech and its start. */
export interface Utterance {
  readonly text: string
  /** Seconds from the action's start. */
  readonly after: number
}

/** A marker and its time. */
export interface PerformedMarker {
  readonly kind: "silence" | "hold" | "laughter" | "endcall"
  /** Duration; null for a marker without one. */
  readonly seconds: number | null
  /** Seconds from the action's start. */
  readonly after: number
}

/** The speech and markers of a performed action. */
export interface Performance {
  readonly utterances: ReadonlyArray<Utterance>
  readonly markers: ReadonlyArray<PerformedMarker>
  /** Total seconds of silence and hold. */
  readonly pause: number
  /** Whether it hangs up at the end. */
  readonly endsCall: boolean
}

/**
 * Performs an action's parts: silence and hold split the speech into utterances, each with its start; laughter becomes
 * `[laughter]`; parts after `<endcall />` are dropped.
 */
export const perform = (parts: ReadonlyArray<ActionPart>): Performance => {
  const utterances: Array<Utterance> = []
  const markers: Array<PerformedMarker> = []
  let pause = 0
  let saying = ""
  let since = 0
  const finish = (): void => {
    const text = saying.replace(/\s+/gu, " ").trim()
    if (text !== "") utterances.push({ text, after: since })
    saying = ""
  }
  for (const part of parts) {
    switch (part.kind) {
      case "speech":
        saying += part.text
        break
      case "laughter":
        markers.push({ kind: "laughter", seconds: null, after: pause })
        saying += part.text
        break
      case "silence":
      case "hold":
        finish()
        markers.push({ kind: part.kind, seconds: part.seconds, after: pause })
        pause += part.seconds
        since = pause
        break
      case "endcall":
        finish()
        markers.push({ kind: "endcall", seconds: null, after: pause })
        return { utterances, markers, pause, endsCall: true }
    }
  }
  finish()
  return { utterances, markers, pause, endsCall: false }
}
