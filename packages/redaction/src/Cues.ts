import * as Schema from "effect/Schema"
import type { CallText } from "./CallText.js"
import { isApart, speakerAt } from "./CallText.js"
import cueGroups from "./data/cues.json" with { type: "json" }
import { SensitiveField } from "./SensitiveField.js"

/**
 * What a value is can often be told only by the words around it. A cue is such a phrase; the cue nearest to a value
 * decides. `nothing` marks numbers that belong to no person: orders, tickets, rooms.
 */
const CueMeaning = Schema.Struct({
  field: Schema.Union(SensitiveField, Schema.Literal("nothing")),
  /** A finer kind within the field, where it has rules of its own. */
  kind: Schema.Literal("plain", "cvv", "expiry", "zip", "extension", "generic"),
  /** Fewest and most letters and digits of a value that it can announce. */
  min: Schema.Number,
  max: Schema.Number,
  /** How much it says alone, 0 to 1. */
  strength: Schema.Number,
  /** What it may be said of as well: a "member id" is one of a club or of a health plan. */
  also: Schema.optional(Schema.Array(SensitiveField))
})

export interface CueMeaning extends Schema.Schema.Type<typeof CueMeaning> {}

export interface Cue extends CueMeaning {
  /** Tokens, `to` exclusive. */
  readonly from: number
  readonly to: number
  readonly phrase: string
}

interface Node {
  readonly next: Map<string, Node>
  meaning: CueMeaning | undefined
}

const root: Node = { next: new Map(), meaning: undefined }

const enter = (phrase: string, meaning: CueMeaning): void => {
  let node = root
  for (const word of phrase.split(" ")) {
    const known = node.next.get(word)
    const next = known ?? { next: new Map<string, Node>(), meaning: undefined }
    if (known === undefined) node.next.set(word, next)
    node = next
  }
  node.meaning = meaning
}

const CueGroup = Schema.Struct({ ...CueMeaning.fields, phrases: Schema.Array(Schema.String) })
// A phrase of several groups means what the last of them says.
for (const { phrases, ...meaning } of Schema.decodeUnknownSync(Schema.Array(CueGroup))(cueGroups))
  for (const phrase of phrases) enter(phrase, meaning)

const maxPhrase = 8

/** "my pin's" is a cue as "my pin" is. */
const step = (node: Node, word: string): Node | undefined =>
  node.next.get(word) ?? (word.endsWith("'s") ? node.next.get(word.slice(0, -2)) : undefined)

/** Every cue in a call, longest phrase first where several start at one word; none overlap. */
export const cuesOf = (call: CallText): ReadonlyArray<Cue> => {
  const { all } = call.tokens
  const cues: Array<Cue> = []
  for (let at = 0; at < all.length;) {
    let node = step(root, all[at]?.lower ?? "")
    if (node === undefined) {
      at++
      continue
    }
    let best: { readonly meaning: CueMeaning; readonly to: number } | undefined
    let to = at + 1
    for (let depth = 0; depth < maxPhrase; depth++) {
      if (node.meaning !== undefined) best = { meaning: node.meaning, to }
      const next: Node | undefined = step(node, all[to]?.lower ?? "")
      if (next === undefined) break
      node = next
      to++
    }
    if (best === undefined) at++
    else {
      if (best.meaning.strength > 0) {
        cues.push({
          ...best.meaning,
          from: at,
          to: best.to,
          phrase: all
            .slice(at, best.to)
            .map((token) => token.lower)
            .join(" ")
        })
      }
      at = best.to
    }
  }
  return cues
}

/** How many tokens before a value a cue may stand, and how many turns back. */
const CUE_REACH = 32
const CUE_TURNS = 4

/** The last cue that ends at or before a token, by binary search in reading order; -1 where none does. */
export const lastCueBefore = (cues: ReadonlyArray<Cue>, token: number): number => {
  let low = 0
  let high = cues.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cues[middle]?.to ?? Infinity) <= token) low = middle + 1
    else high = middle
  }
  return low - 1
}

export interface Weighed {
  readonly cue: Cue
  /** Strength after distance, 0 to 1. */
  readonly weight: number
  readonly distance: number
  readonly side: "before" | "after"
}

const afterLinks = new Set(["is", "was", "as", "for", "that's", "'s", "being", "that"])

/** A cue before a value, with what distance leaves of its strength; undefined beyond reach. */
const weighBefore = (call: CallText, cue: Cue, from: number): Weighed | undefined => {
  const distance = from - cue.to
  const turns = (call.turnOf[from] ?? 0) - (call.turnOf[cue.from] ?? 0)
  if (distance > CUE_REACH || turns > CUE_TURNS || isApart(call, cue.from, from)) return undefined
  // A question put by the other side in the turn before holds until it is answered.
  const asked = turns > 0 && speakerAt(call, cue.from) !== speakerAt(call, from)
  const fade = distance <= 4 ? 0 : (distance - 4) / (asked ? 120 : 70)
  return { cue, distance, side: "before", weight: cue.strength * (1 - fade) }
}

/** The nearest cue before a value. */
const cueBefore = (
  call: CallText,
  cues: ReadonlyArray<Cue>,
  from: number,
  accepts: (cue: Cue) => boolean
): Weighed | undefined => {
  let nearest: Weighed | undefined
  for (let at = lastCueBefore(cues, from); at >= 0; at--) {
    const cue = cues[at]
    const weighed = cue === undefined ? undefined : weighBefore(call, cue, from)
    if (cue === undefined || weighed === undefined) break
    if (!accepts(cue)) continue
    if (nearest !== undefined) {
      // "member id ... number is": what a bare "number" is the number of was said just before it.
      const isOwner =
        weighed.distance - nearest.distance <= 8 &&
        cue.kind !== "generic" &&
        (call.turnOf[from] ?? 0) - (call.turnOf[cue.from] ?? 0) <= 1
      return isOwner ? weighed : nearest
    }
    nearest = weighed
    if (cue.kind !== "generic") break
  }
  return nearest
}

/** Whether a cue after a value is tied to it: right behind it, or by "is", "as" and the like in the same sentence. */
const isLinked = (call: CallText, to: number, cue: Cue): boolean => {
  let linked = cue.from === to
  for (let token = to; token < cue.from; token++) {
    const word = call.tokens.all[token]
    if (word === undefined || /^[.?!;]$/.test(word.text)) return false
    if (afterLinks.has(word.lower)) linked = true
  }
  return linked
}

/** The first cue after a value, where it is tied to it. */
const cueAfter = (
  call: CallText,
  cues: ReadonlyArray<Cue>,
  from: number,
  to: number,
  accepts: (cue: Cue) => boolean
): Weighed | undefined => {
  for (let next = lastCueBefore(cues, from) + 1; next < cues.length; next++) {
    const cue = cues[next]
    if (cue === undefined || cue.from - to > 5 || call.turnOf[cue.from] !== call.turnOf[to - 1]) return undefined
    if (cue.from < to || !accepts(cue)) continue
    return isLinked(call, to, cue)
      ? { cue, distance: cue.from - to + 3, side: "after", weight: cue.strength * 0.9 }
      : undefined
  }
  return undefined
}

/**
 * The cue that decides about tokens `from` to `to`: the nearest before them within reach, or one just after them that
 * is tied to them ("... is my phone number", "... on the back"). A cue loses weight with distance. `accepts`
 * leaves out cues that cannot mean such a value.
 */
export const nearestCue = (
  call: CallText,
  cues: ReadonlyArray<Cue>,
  from: number,
  to: number,
  accepts: (cue: Cue) => boolean
): Weighed | undefined => {
  const before = cueBefore(call, cues, from, accepts)
  const after = cueAfter(call, cues, from, to, accepts)
  if (after === undefined || before === undefined) return after ?? before
  const isOther = before.distance > after.distance || call.turnOf[before.cue.from] !== (call.turnOf[from] ?? 0)
  return isOther ? after : before
}
