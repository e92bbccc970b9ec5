/**
 * The testing agent that plays conditional actions, as a state machine: a state and the main agent's reply in, the next
 * state and what the testing agent does out. Nothing in it waits, asks or guesses. Source: interface, Conditional-actions
 * instructions; docs/runs.md.
 */
import type { ActionPart } from "../evaluators/ActionMarkup.js"
import type { ConditionalAction, ConditionalActions } from "../evaluators/ConditionalActions.js"
import { fitsDescription } from "./MatchCondition.js"

/** Replies in a row that fit no condition before the testing agent gives up. */
export const MAX_UNMATCHED = 3

export interface TestingAgentState {
  readonly conditions: ReadonlyArray<ConditionalAction>
  /** Items that were acted on, in the order in which they were. */
  readonly done: ReadonlyArray<number>
  /** Replies since the last of these that fitted nothing. */
  readonly unmatched: number
}

export type Move =
  | { readonly does: "act"; readonly item: ConditionalAction }
  /** Nothing applies yet: it says something that keeps the conversation going. */
  | { readonly does: "wait"; readonly times: number }
  /** It hangs up: every item is done, or none has applied for too long. */
  | { readonly does: "leave"; readonly because: "script_finished" | "no_condition_met" }

export interface Step {
  readonly state: TestingAgentState
  readonly move: Move
}

/** What may be acted on at the next reply. */
export interface Choices {
  /** Done whatever the reply says. */
  readonly first: ConditionalAction | null
  /** Done if the reply fits the description: the first that does, in the order of their ids. */
  readonly described: ReadonlyArray<{ readonly item: ConditionalAction; readonly description: string }>
  /** Done if the reply fits none of the descriptions. */
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
 * What may be acted on next, each item once:
 *
 * - An `action_followup` that refers to an item follows it at the very next reply, whatever that says; several that refer
 *   to one item follow it one reply after the other. One with a description follows the item before it in the list: it is
 *   looked for while nothing else was done after that, ahead of all others.
 * - A `standard` item with a description is looked for at every reply.
 * - A `standard` item that refers to another is done once the other is, at the first reply that fits no description.
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

/** The first description that a reply fits by words. */
export const matchByWords = ({ described }: Choices, reply: string): number | null =>
  described.find(({ description }) => fitsDescription(description, reply))?.item.id ?? null

/**
 * What the testing agent does about a reply. `matched` is the item whose description the reply was found to fit, null for
 * none; left out, words decide.
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

/** A piece of what the testing agent says, with the silence before it. */
export interface Utterance {
  readonly text: string
  /** Seconds from the action's start. */
  readonly after: number
}

/** A marker and when it came. */
export interface PerformedMarker {
  readonly kind: "silence" | "hold" | "laughter" | "endcall"
  /** How long it lasts; null where it takes no time. */
  readonly seconds: number | null
  /** Seconds from the action's start. */
  readonly after: number
}

/** How an action is performed. */
export interface Performance {
  readonly utterances: ReadonlyArray<Utterance>
  readonly markers: ReadonlyArray<PerformedMarker>
  /** Seconds of silence and hold in all. */
  readonly pause: number
  /** Whether it hangs up at the end. */
  readonly endsCall: boolean
}

/**
 * Performs an action's parts: speech that silence or hold divides is said in pieces, each at its time; laughter is told as
 * `[laughter]`; what stands behind `<endcall />` is not said any more.
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
