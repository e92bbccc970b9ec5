import * as Redaction from "@earshot/redaction"
import type * as RedactionKit from "@earshot/test-kit/redaction"

const { CallInput, callLabels, INPUTS, turnsOf, wordOf } = Redaction.CallTagger
const { shippedModel } = Redaction.Tagger

/** The label of tokens that are not fitted on. */
const UNLABELED = -1
/** Classes of weekdays and of days such as "tomorrow", which are dates where the requester asks for everyday dates. */
const EVERYDAY_DAY = /^[WR]$/

/** How often each word is in the calls. */
export const countWords = (calls: ReadonlyArray<RedactionKit.LabeledCall>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { turns } of calls)
    for (const token of Redaction.callTextOf(turns).tokens.all) {
      if (token.cls === "n") continue
      const word = wordOf(token)
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  return counts
}

/** The labels of the tokens of a turn. A day alone is left out: rules find it, and texts differ in what it is labeled. */
const labelsOf = (
  call: Redaction.CallText,
  spans: RedactionKit.LabeledCall["turns"][number]["spans"],
  turn: number,
  from: number,
  to: number
): Int32Array => {
  const labels = new Int32Array(to - from)
  const tokens = call.tokens.all.slice(from, to)
  const start = call.turns[turn]?.start ?? 0
  for (const span of spans) {
    const within = tokens.flatMap((token, at) =>
      token.start < start + span.end && token.end > start + span.start ? [at] : []
    )
    const isDay = within.length === 1 && EVERYDAY_DAY.test(tokens[within[0] ?? 0]?.cls ?? "")
    for (const at of within) labels[at] = isDay ? UNLABELED : callLabels.indexOf(span.field)
  }
  tokens.forEach(({ cls }, at) => {
    if (labels[at] === 0 && EVERYDAY_DAY.test(cls)) labels[at] = UNLABELED
  })
  return labels
}

/** What the network reads of a call, `INPUTS` numbers and a label a token. */
export const exampleOf = (
  labeled: RedactionKit.LabeledCall,
  vocabulary: Redaction.CallTagger.Vocabulary
): ReadonlyArray<number> => {
  const call = Redaction.callTextOf(labeled.turns)
  const places = turnsOf(call)
  const input = new CallInput(call, places, shippedModel().sets, vocabulary)
  const numbers: Array<number> = []
  places.forEach(({ from, to }, turn) => {
    const labels = labelsOf(call, labeled.turns[turn]?.spans ?? [], turn, from, to)
    numbers.push(...input.beginning(turn), UNLABELED)
    const read = input.of(turn, from, to)
    for (let at = 0; at < to - from; at++)
      numbers.push(...read.subarray(at * INPUTS, (at + 1) * INPUTS), labels[at] ?? 0)
  })
  return numbers
}
