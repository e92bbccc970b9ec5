import { type CallText, callTextOf } from "./CallText.js"
import { apart } from "./KnownValues.js"
import type { Leaf } from "./Leaf.js"
import { placeIn, readingOf } from "./PlainText.js"
import { CallReader } from "./recognizers/CallReader.js"
import { KnownValues } from "./Repeats.js"
import { type Found, resolve } from "./Resolve.js"
import type { SensitiveField } from "./SensitiveField.js"
import { runsOf } from "./SpokenNumbers.js"
import { shippedModel } from "./tagger/Tagger.js"
import type { TextSpan } from "./TextSpan.js"

/** A leaf, or a part of a long one, as a line of text that is read. */
export interface Piece extends Leaf {
  /** The leaf's number. */
  readonly leaf: number
  /** Where the part begins in the leaf's value, in UTF-16 code units. */
  readonly offset: number
}

/**
 * Characters that are read at a time. Reading holds about 200 bytes a character: 8.4 MB at once needed 1.4 GB of memory, and
 * 0.2 GB in windows of this length, most of it the document itself. It takes as long.
 */
const WINDOW = 131_072

/** Characters of a long leaf that are read with the part before and with the part after them. */
const OVERLAP = 2048

/** A leaf in parts of at most `most` characters and the overlap. */
const piecesOf = ({ from, text }: Leaf, leaf: number, most: number): ReadonlyArray<Piece> => {
  if (text.length <= most) return [{ text, from, leaf, offset: 0 }]
  const pieces: Array<Piece> = []
  for (let at = 0; at < text.length; at += most) {
    const start = Math.max(0, at - OVERLAP)
    const line = text.slice(start, at + most + OVERLAP)
    pieces.push(
      start === 0 ? { text: line, from, leaf, offset: 0 } : { text: line, from: 0, leaf, offset: start - from }
    )
  }
  return pieces
}

/** The leaves of a document in windows that are read one after the other, in their order. */
export const windowsOf = (leaves: ReadonlyArray<Leaf>, most = WINDOW): ReadonlyArray<ReadonlyArray<Piece>> => {
  const windows: Array<ReadonlyArray<Piece>> = []
  let open: Array<Piece> = []
  let length = 0
  for (const [index, leaf] of leaves.entries())
    for (const piece of piecesOf(leaf, index, most)) {
      if (open.length > 0 && length + piece.text.length > most) {
        windows.push(open)
        open = []
        length = 0
      }
      open.push(piece)
      length += piece.text.length
    }
  return open.length > 0 ? [...windows, open] : windows
}

/** A window and further lines as a call, in which nothing reaches from one line into another. */
export const callOfWindow = (pieces: ReadonlyArray<Piece>, more: ReadonlyArray<Leaf> = []): CallText =>
  callTextOf([...pieces.map((piece) => apart(String(piece.leaf), piece)), ...more.map((leaf) => apart("known", leaf))])

/** What was found in a leaf, in offsets of its value. */
export type LeafSpan = Pick<TextSpan, "start" | "end" | "field" | "score">

/** What was found in the leaves of a document. */
export class LeafSpans {
  readonly #spans = new Map<number, Array<LeafSpan>>()

  /** Adds what was found in a window, in offsets of its call. */
  add(call: CallText, pieces: ReadonlyArray<Piece>, found: ReadonlyArray<TextSpan>): void {
    let first = 0
    pieces.forEach(({ from, leaf, offset }, index) => {
      const place = call.turns[index]
      if (place === undefined) return
      const value = place.start + from
      while (first < found.length && (found[first]?.end ?? 0) <= value) first++
      for (let at = first; at < found.length; at++) {
        const one = found[at]
        if (one === undefined || one.start >= place.end) break
        const start = Math.max(value, one.start) - value + offset
        const end = Math.min(place.end, one.end) - value + offset
        if (end > start) this.#push(leaf, { start, end, field: one.field, score: one.score })
      }
    })
  }

  #push(leaf: number, span: LeafSpan): void {
    const spans = this.#spans.get(leaf)
    if (spans === undefined) this.#spans.set(leaf, [span])
    else spans.push(span)
  }

  /** In reading order, none overlapping. */
  of(leaf: number): ReadonlyArray<LeafSpan> {
    const spans = this.#spans.get(leaf) ?? []
    return spans.length < 2
      ? spans
      : resolve(
          spans.map((span) => ({ ...span, evidence: [] })),
          0
        )
  }
}

/** A reader of numbers and words alone, without what they mean. */
const plainReader = (call: CallText): CallReader =>
  new CallReader(call, runsOf(call.tokens), [], [], shippedModel().sets, {
    exchanges: [],
    turns: [],
    breaks: new Uint8Array(0)
  })

/** Most values of a document that are searched beyond their window. */
const MOST_SHARED = 20_000

/** The values that were found in the windows of a document, each of which is searched in all of them. */
export class SharedValues {
  readonly #known = new KnownValues()
  readonly #seen = new Set<string>()

  /** Adds what was found in a window, in offsets of its call. */
  add(call: CallText, found: ReadonlyArray<Found>): void {
    const fresh = found.filter((one) => this.#isFresh(one.field, call.original.slice(one.start, one.end)))
    if (fresh.length === 0) return
    this.#known.addAll(
      plainReader(call),
      fresh.map((one) => ({ ...one, ...readingOf(call.plain, one) }))
    )
  }

  #isFresh(field: SensitiveField, value: string): boolean {
    const key = `${field} ${value}`
    if (this.#seen.size >= MOST_SHARED || this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }

  /** Where they stand in a window, in offsets of its call and in reading order. */
  places(call: CallText): ReadonlyArray<Found> {
    return resolve(this.#known.places(plainReader(call)), 0).map((one) => ({ ...one, ...placeIn(call.plain, one) }))
  }
}
