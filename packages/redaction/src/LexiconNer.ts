/** A named-entity provider that works offline: values of the host's own lists, such as its customers' and products' names. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { NerProvider } from "./NerProvider.js"
import { phraseTrie } from "./PhraseTrie.js"
import { plainTextOf, placeIn } from "./PlainText.js"
import { SensitiveField } from "./SensitiveField.js"
import type { TurnSpan } from "./SpansToRedact.js"
import { runYielding, type Steps } from "./Steps.js"
import { tokenize } from "./Tokens.js"

/** Values by field: `{"person_name": ["Ravi Dubey"], "location": ["Pune"]}`. */
export const NerLexicon = Schema.partial(Schema.Record({ key: SensitiveField, value: Schema.Array(Schema.String) }))
export type NerLexicon = typeof NerLexicon.Type

/** Score of a value of a list: above statistics, below check digits. */
const LISTED = 0.92

/** Characters that are searched in one step. */
const WINDOW = 16_384

/** Where the part of a content that begins at `from` ends: before a word where there is white space. */
const nextPart = (content: string, from: number): number => {
  const to = from + WINDOW
  if (to >= content.length) return content.length
  for (let at = to; at > from; at--) if (/\s/.test(content.charAt(at))) return at
  return to
}

const wordsOf = (value: string): ReadonlyArray<string> =>
  tokenize(plainTextOf(value).text).all.flatMap(({ cls, lower }) => (cls === "n" ? [] : [lower]))

/**
 * Finds the values of a lexicon in any case, as whole words, with the longest first. Linear in the length of the call,
 * however long the lists are.
 */
export const layerLexicon = (lexicon: NerLexicon): Layer.Layer<NerProvider> => {
  const phrases = phraseTrie<SensitiveField>()
  for (const [field, values] of Object.entries(lexicon))
    for (const value of values ?? []) {
      const words = wordsOf(value)
      if (words.length > 0 && Schema.is(SensitiveField)(field)) phrases.add(words, field)
    }
  /** The spans that begin in a part of a content, which is read to `WINDOW` characters behind it. */
  const spansIn = (content: string, turn: number, from: number, until: number): ReadonlyArray<TurnSpan> => {
    const plain = plainTextOf(content.slice(from, until + WINDOW))
    const { all } = tokenize(plain.text)
    const found: Array<TurnSpan> = []
    for (let at = 0; at < all.length;) {
      const hit = phrases.longestAt(all, at)
      const first = all[at]
      const last = hit === undefined ? undefined : all[hit.to - 1]
      if (hit === undefined || first === undefined || last === undefined) {
        at++
        continue
      }
      const { end, start } = placeIn(plain, { start: first.start, end: last.end })
      if (from + start >= until) break
      found.push({
        turn,
        start: from + start,
        end: from + end,
        field: hit.value,
        score: LISTED,
        evidence: ["lexicon"]
      })
      at = hit.to
    }
    return found
  }
  function* searching(turns: ReadonlyArray<string>): Steps<ReadonlyArray<TurnSpan>> {
    const found: Array<TurnSpan> = []
    let work = 0
    for (const [turn, content] of turns.entries()) {
      for (let from = 0; from < content.length;) {
        const until = nextPart(content, from)
        work += until - from
        if (work > WINDOW) {
          yield
          work = 0
        }
        const spans = spansIn(content, turn, from, until)
        found.push(...spans)
        from = Math.max(until, spans.at(-1)?.end ?? 0)
      }
    }
    return found
  }
  return Layer.succeed(NerProvider, { recognize: (turns) => runYielding(() => searching(turns)) })
}

/** All providers as one: what any of them finds; if one fails, all fail. */
export const layerAll = <R = never>(
  layers: ReadonlyArray<Layer.Layer<NerProvider, never, R>>
): Layer.Layer<NerProvider, never, R> =>
  Layer.effect(
    NerProvider,
    Effect.gen(function* () {
      const providers = yield* Effect.forEach(layers, (layer) => Effect.provide(NerProvider, layer))
      return NerProvider.of({
        recognize: (turns, fields) =>
          Effect.map(
            Effect.forEach(providers, (one) => one.recognize(turns, fields), { concurrency: "unbounded" }),
            (spans) => spans.flat()
          )
      })
    })
  )
