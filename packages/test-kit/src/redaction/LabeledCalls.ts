import { type Random, randomOf } from "./Random.js"
import { hardNegatives, smallTalk, templates } from "./Templates.js"
import { fieldOfSlot, type SensitiveField, valueOf } from "./Values.js"
import type { Part } from "./ValueLists.js"
import type { Style } from "./WrittenValues.js"

export interface LabeledSpan {
  readonly start: number
  readonly end: number
  readonly field: SensitiveField
}

/** A turn whose sensitive values are known; offsets in UTF-16 code units. */
export interface LabeledTurn {
  readonly speaker: "main_agent" | "testing_agent"
  readonly content: string
  readonly spans: ReadonlyArray<LabeledSpan>
}

export interface LabeledCall {
  readonly style: Style
  readonly turns: ReadonlyArray<LabeledTurn>
}

const SLOT = /\{(\w+)\}/g

/** A bare recognizer's text has no case and no marks but those inside words. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(?<![\d\w])[.,?!;:]|[.,?!;:](?![\d\w@/])/g, "")
    .replace(/\s+/g, " ")

const fill = (random: Random, part: Part, style: Style, line: string): LabeledTurn => {
  const speaker = line.startsWith("A:") ? "main_agent" : "testing_agent"
  const text = line.slice(2).trim()
  let content = ""
  const spans: Array<LabeledSpan> = []
  let at = 0
  for (const match of text.matchAll(SLOT)) {
    const slot = match[1] ?? ""
    const before = text.slice(at, match.index)
    content += style === "bare" ? bare(before).replace(/^\s+(?=\S)/, content === "" ? "" : " ") : before
    const field = fieldOfSlot(slot)
    const value = valueOf(random, part, slot === "order" && random.chance(0.5) ? "typed" : style, slot)
    const written = style === "bare" ? bare(value).trim() : value
    if (content !== "" && !/\s$|["(]$/.test(content)) content += " "
    const start = content.length
    content += written
    if (field !== undefined) spans.push({ start, end: content.length, field })
    at = match.index + match[0].length
  }
  const rest = text.slice(at)
  content += style === "bare" ? bare(rest) : rest
  return { speaker, content: style === "bare" ? content.trimEnd() : content, spans }
}

const exchange = (random: Random, part: Part, style: Style, template: string): ReadonlyArray<LabeledTurn> =>
  template.split("|").map((line) => fill(random, part, style, line.trim()))

const styles: ReadonlyArray<Style> = ["typed", "punctuated", "bare"]

/** Whole calls: small talk with exchanges of sensitive values in between. The same seed makes the same calls. */
export const labeledCalls = (seed: number, count: number, part: Part): ReadonlyArray<LabeledCall> => {
  const random = randomOf(seed)
  const deck = templates[part]
  let next = 0
  return Array.from({ length: count }, () => {
    const style = random.pick(styles)
    const turns: Array<LabeledTurn> = []
    for (let part1 = 0; part1 < 3; part1++) {
      turns.push(...exchange(random, part, style, random.pick(smallTalk[part])))
      // Templates are dealt in turn, so that every field is met as often as it has templates.
      turns.push(...exchange(random, part, style, deck[next++ % deck.length] ?? ""))
    }
    return { style, turns }
  })
}

/** Calls in which nothing is sensitive, however much it looks so. */
export const hardNegativeCalls = (seed: number, count: number): ReadonlyArray<LabeledCall> => {
  const random = randomOf(seed)
  return Array.from({ length: count }, (_, at) => {
    const style = styles[at % styles.length] ?? "typed"
    return {
      style,
      turns: Array.from({ length: 4 }, () => exchange(random, "measure", style, random.pick(hardNegatives))).flat()
    }
  })
}
