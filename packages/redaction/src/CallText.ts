import { type PlainText, plainTextOf } from "./PlainText.js"
import { tokenize, tokenizeAgain, type Tokens } from "./Tokens.js"

/** Where a turn's content lies in the joined text, in UTF-16 code units. */
export interface TurnPlace {
  readonly start: number
  readonly end: number
  /** Who speaks; texts of one speaker carry the same word. */
  readonly speaker: string
  /** Stands for itself: neither cues nor parts of values reach into it or out of it (a value of a JSON document). */
  readonly apart: boolean
}

/**
 * A whole call as one text, its turns joined by line breaks, so that a value given over several turns and a question
 * asked by the other side are read together. `turns` are places in the original; `text` and the tokens are what is read,
 * in plain characters and with placeholders made opaque, and `plain` leads back from their offsets to the original's.
 */
export interface CallText {
  readonly original: string
  readonly plain: PlainText
  readonly text: string
  readonly turns: ReadonlyArray<TurnPlace>
  readonly tokens: Tokens
  /** The turn of every token. */
  readonly turnOf: Int32Array
}

export const callTextOf = (
  turns: ReadonlyArray<{ readonly speaker: string; readonly content: string; readonly apart?: boolean }>
): CallText => {
  const places: Array<TurnPlace> = []
  const contents: Array<string> = []
  let start = 0
  for (const { apart = false, content, speaker } of turns) {
    places.push({ start, end: start + content.length, speaker, apart })
    contents.push(content)
    start += content.length + 1
  }
  const original = contents.join("\n")
  const plain = plainTextOf(original)
  return withTokens({ original, plain, turns: places }, tokenize(plain.text))
}

/** The same call with another text of the same length to read. */
export const readingText = (call: CallText, text: string): CallText =>
  withTokens(call, tokenizeAgain(text, call.tokens))

const withTokens = (
  { original, plain, turns }: Pick<CallText, "original" | "plain" | "turns">,
  tokens: Tokens
): CallText => {
  const turnOf = new Int32Array(tokens.all.length)
  let turn = 0
  tokens.all.forEach((token, at) => {
    const start = plain.starts?.[token.start] ?? token.start
    while (turn < turns.length - 1 && start >= (turns[turn + 1]?.start ?? Infinity)) turn++
    turnOf[at] = turn
  })
  return { original, plain, text: tokens.text, turns, tokens, turnOf }
}

/** Whether one is a turn of its own into which nothing of the other reaches. */
export const isApart = (call: CallText, token: number, other: number): boolean => {
  const a = call.turnOf[token] ?? 0
  const b = call.turnOf[other] ?? 0
  return a !== b && (call.turns[a]?.apart === true || call.turns[b]?.apart === true)
}

export const speakerAt = (call: CallText, token: number): string => call.turns[call.turnOf[token] ?? 0]?.speaker ?? ""
