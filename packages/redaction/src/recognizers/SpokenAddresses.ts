import { speakerAt } from "../CallText.js"
import { fillers, functionWords, acknowledgements } from "../Lexicon.js"
import type { SpokenAddress } from "../SpokenForms.js"
import type { Candidate } from "../TextSpan.js"
import type { CallReader, Recognizer } from "./CallReader.js"

const fieldOf = { email: "email_address", url: "url", file: "filename" } as const

const JOINER = /^(?:dot|underscore|dash|hyphen|plus|[._-])$/

/** How many turns before its domain the first half of an address was said: the other side may acknowledge it. */
const HALF_TURNS = 2

/** Most tokens of the first half of an address without a sign in it: "a hollis". */
const MAX_HALF = 3

const isName = (reader: CallReader, at: number): boolean =>
  /[\p{L}\p{N}]/u.test(reader.word(at)) &&
  !fillers.has(reader.word(at)) &&
  !acknowledgements.has(reader.word(at)) &&
  (reader.word(at).length === 1 || !functionWords.has(reader.word(at)))

/** The first half of an address in a turn: the words around its last "dot" or the like, or its last words. */
const halfIn = (reader: CallReader, turn: number): readonly [from: number, to: number] | undefined => {
  const { from, to } = reader.dialogue.turns[turn] ?? { from: 0, to: 0 }
  for (let at = to - 2; at > from; at--) {
    if (!JOINER.test(reader.word(at)) || !isName(reader, at - 1) || !isName(reader, at + 1)) continue
    let first = reader.runTo(at)?.from ?? at - 1
    while (first - 2 >= from && JOINER.test(reader.word(first - 1)) && isName(reader, first - 2)) first -= 2
    return [first, reader.runFrom(at + 1)?.to ?? at + 2]
  }
  let first = to
  while (first > from && to - first < MAX_HALF && isName(reader, first - 1) && reader.cls(first - 1) !== "d") first--
  return first < to ? [first, to] : undefined
}

/** "bex dot lowry" - "mhm" - "at example dot com": an address of which a turn begins with the second half. */
const overTurns = (reader: CallReader, { from, kind, to }: SpokenAddress): ReadonlyArray<Candidate> => {
  const sign = from - 1
  const turn = reader.turn(from)
  const start = reader.dialogue.turns[turn]?.from ?? sign
  if (kind !== "url" || reader.word(sign) !== "at" || reader.turn(sign) !== turn || sign - start > 1) return []
  if (sign > start && !fillers.has(reader.word(start)) && !acknowledgements.has(reader.word(start))) return []
  const address = reader.candidate("email_address", sign, to, 0.955, "the second half of a spoken address")
  for (let before = turn - 1; before >= Math.max(0, turn - HALF_TURNS); before--) {
    const place = reader.dialogue.turns[before]
    if (place === undefined || place.from >= place.to) continue
    if (speakerAt(reader.call, place.from) !== speakerAt(reader.call, sign)) continue
    const half = halfIn(reader, before)
    return half === undefined
      ? [address]
      : [reader.candidate("email_address", ...half, 0.94, "the first half of a spoken address"), address]
  }
  return [address]
}

/** "jane dot doe at gmail dot com", "w w w dot example dot org" (read by SpokenForms.ts). */
export const spokenAddresses: Recognizer = (reader) =>
  reader.addresses.flatMap((address) => [
    reader.candidate(fieldOf[address.kind], address.from, address.to, 0.95, "spoken address"),
    ...overTurns(reader, address)
  ])
