/** Prompts as people write them for metrics, and as nobody does. */
import * as fc from "fast-check"

/** What prompts are made of: filler, rules, protected tokens, and signs that open what nothing closes. */
export const phrase = fc.constantFrom(
  "Please",
  "make sure that",
  "It is very important to",
  "the agent does not interrupt",
  "the caller",
  "within 3 seconds",
  ">= 90%",
  "{{agent.description}}",
  '"Hello, please hold. Thank you"',
  "`TRUE`",
  "return FALSE",
  "if",
  "unless",
  "Otherwise",
  "never",
  "call_ended_reason",
  "in order to",
  "thank you",
  "basically,",
  "don't",
  "1.5",
  "'",
  '"',
  "“",
  "e.g.",
  "```"
)

const sentence = fc
  .tuple(fc.array(phrase, { minLength: 1, maxLength: 8 }), fc.constantFrom(".", "!", "?", ",", ":", ""))
  .map(([words, end]) => words.join(" ") + end)

/** Lines of such sentences, some of them marked as lists, headings, tables. */
export const prompt = fc
  .array(fc.tuple(fc.constantFrom("", "- ", "1. ", "## ", "If ", "| "), sentence, fc.constantFrom(" ", "\n", "\n\n")), {
    maxLength: 12
  })
  .map((parts) => parts.map((part) => part.join("")).join(""))

/** Any text that a database keeps, prompts among them. */
export const anyText = fc.oneof(
  prompt,
  fc.string({ unit: "grapheme", maxLength: 200 }).filter((text) => !text.includes("\0") && text.isWellFormed()),
  fc.lorem({ maxCount: 20 })
)

/** A rule in plain words, unlike every other of its list: `fields` are what must not be lost of it. */
export interface PlainRule {
  readonly sentence: string
  readonly subject: string
}

const SUBJECTS = [
  "greeting",
  "booking",
  "refund",
  "complaint",
  "transfer",
  "password",
  "invoice",
  "delivery",
  "apology",
  "consent"
] as const

const RULES = [
  (subject: string) => `Return FALSE if the ${subject} takes more than 12 seconds.`,
  (subject: string) => `The agent must never mention the ${subject} to a stranger.`,
  (subject: string) => `Return "late ${subject}" unless the caller confirms the ${subject}.`,
  (subject: string) => `Score {{${subject}_score}} at least 4 when the ${subject} is complete.`,
  (subject: string) => `Classify the ${subject} as positive, neutral or negative.`
] as const

/** A prompt that is a list of rules, no two of one subject. */
export const plainRules: fc.Arbitrary<ReadonlyArray<PlainRule>> = fc
  .tuple(
    fc.shuffledSubarray([...SUBJECTS], { minLength: 1 }),
    fc.array(fc.nat(RULES.length - 1), { minLength: SUBJECTS.length, maxLength: SUBJECTS.length })
  )
  .map(([subjects, kinds]) =>
    subjects.map((subject, at) => ({
      subject,
      sentence: (RULES[kinds[at] ?? 0] ?? RULES[0])(subject)
    }))
  )

/** One way to spoil each of the rules above, where it applies; the sentence itself where none does. */
export const spoiled = (sentence: string): ReadonlyArray<string> =>
  [
    sentence.replace(" never", ""),
    sentence.replace("12", "21"),
    sentence.replace("more than", "less than"),
    sentence.replace("FALSE", "TRUE"),
    sentence.replace("unless", "if"),
    sentence.replace("at least", "at most"),
    sentence.replace(/\{\{.*\}\}/, "the score"),
    sentence.replace(", neutral", ""),
    sentence.replace(/"late /, '"early ')
  ].filter((one) => one !== sentence)
