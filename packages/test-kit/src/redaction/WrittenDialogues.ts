import * as Redaction from "@earshot/redaction"
import type { LabeledCall, LabeledTurn } from "./LabeledCalls.js"

const fields: ReadonlySet<string> = new Set(Redaction.sensitiveFields)
const isField = (name: string | undefined): name is Redaction.SensitiveField => name !== undefined && fields.has(name)

/** A turn of "A: ..." (the agent) or "C: ..." (the caller), with values as `{field:value}`. */
const turnOf = (line: string): LabeledTurn => {
  const spans: Array<LabeledTurn["spans"][number]> = []
  let content = ""
  for (const [all, field, value] of line.slice(3).matchAll(/\{(\w+):([^}]*)\}|[^{]+/g)) {
    const start = content.length
    content += value ?? all
    if (isField(field)) spans.push({ start, end: content.length, field })
  }
  return { speaker: line.startsWith("A: ") ? "main_agent" : "testing_agent", content, spans }
}

/** The dialogues of a text, which blank lines part. */
export const dialoguesOf = (text: string): ReadonlyArray<LabeledCall> =>
  text
    .trim()
    .split("\n\n")
    .map((dialogue) => ({ style: "bare", turns: dialogue.split("\n").map(turnOf) }))
