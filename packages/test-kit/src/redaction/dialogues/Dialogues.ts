import type { LabeledCall, LabeledSpan, LabeledTurn } from "../LabeledCalls.js"
import { type Random, randomOf } from "../Random.js"
import type { Part } from "../ValueLists.js"
import type { SensitiveField } from "../Values.js"
import { type Habit, habits, type Kind, kinds, type Parts } from "./DialogueValues.js"
import {
  backChannels,
  corrections,
  endings,
  followUps,
  openers,
  questions,
  readBacks,
  statements
} from "./Questions.js"

type Speaker = LabeledTurn["speaker"]

/** A piece of a turn: plain words, or a part of a value. */
interface Piece {
  readonly text: string
  readonly field?: SensitiveField
}

interface DialogueTurn {
  readonly speaker: Speaker
  readonly pieces: ReadonlyArray<Piece>
}

/** How a value is given: in one turn, over turns with or without the other side between, with a pause, corrected. */
export const deliveries = [
  "whole",
  "filler",
  "back-channel",
  "every part apart",
  "own turns",
  "corrected",
  "corrected whole",
  "read back",
  "repeated question"
] as const
export type DeliveryForm = (typeof deliveries)[number]

export interface Dialogue extends LabeledCall {
  readonly kind: Kind
  readonly habit: Habit
  readonly delivery: DeliveryForm | "statement"
}

const punctuated = (habit: Habit): boolean => habit === "punctuated words" || habit === "figures"

const sentence = (text: string, mark: string): string =>
  text === "" ? "" : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${mark}`

const isQuestion = (text: string): boolean =>
  /^(what|which|when|who|where|how|can|could|may|is|would|do|and what)\b/.test(text)

/** Whether a transcript puts commas between the parts of a value. */
const hasPauses = (habit: Habit, field: SensitiveField | undefined): boolean =>
  punctuated(habit) && field !== undefined && !/name|medical|time|age|occupation|origin/.test(field)

/** Joins pieces to a turn in the way its transcript writes turns. */
const turnOf = (turn: DialogueTurn, habit: Habit): LabeledTurn => {
  let content = ""
  const spans: Array<LabeledSpan> = []
  for (const { field, text } of turn.pieces) {
    if (text === "") continue
    if (content !== "") content += hasPauses(habit, field) && spans.length > 0 ? ", " : " "
    const start = content.length
    content += text
    if (field !== undefined) spans.push({ start, end: content.length, field })
  }
  if (!punctuated(habit)) return { speaker: turn.speaker, content, spans }
  const mark = spans.length === 0 && isQuestion(content) ? "?" : "."
  return { speaker: turn.speaker, content: sentence(content, /[.?!]$/.test(content) ? "" : mark), spans }
}

const agent = (text: string): DialogueTurn => ({ speaker: "main_agent", pieces: [{ text }] })
const caller = (...pieces: ReadonlyArray<Piece>): DialogueTurn => ({ speaker: "testing_agent", pieces })

/** What a value is given with. */
interface Answer {
  readonly random: Random
  readonly part: Part
  readonly field: SensitiveField
  readonly parts: Parts
  /** Another value, given by mistake before the right one. */
  readonly mistaken: Parts
}

const piecesOf = ({ field, parts }: Answer): ReadonlyArray<Piece> => parts.map((text) => ({ text, field }))

const opener = ({ part, random }: Answer): Piece => ({ text: random.pick(openers[part]) })
const ending = ({ part, random }: Answer): Piece => ({ text: random.pick(endings[part]) })
const backChannel = ({ part, random }: Answer): DialogueTurn => agent(random.pick(backChannels[part]))

const answers: Readonly<Record<DeliveryForm, (answer: Answer) => ReadonlyArray<DialogueTurn>>> = {
  whole: (answer) => [caller(opener(answer), ...piecesOf(answer), ending(answer))],
  filler: (answer) => [
    caller(opener(answer), ...piecesOf(answer).flatMap((piece, at) => (at === 0 ? [piece] : [{ text: "uh" }, piece])))
  ],
  "back-channel": (answer) => {
    const pieces = piecesOf(answer)
    const at = Math.max(1, Math.floor(pieces.length / 2))
    if (pieces.length < 2) return [caller(opener(answer), ...pieces)]
    return [
      caller(opener(answer), ...pieces.slice(0, at)),
      backChannel(answer),
      caller(...pieces.slice(at), ending(answer))
    ]
  },
  "every part apart": (answer) =>
    piecesOf(answer).flatMap((piece, at) => (at === 0 ? [caller(piece)] : [backChannel(answer), caller(piece)])),
  "own turns": (answer) => piecesOf(answer).map((piece) => caller(piece)),
  corrected: (answer) => {
    const pieces = piecesOf(answer)
    const last = pieces[pieces.length - 1]
    const wrong = answer.mistaken[answer.mistaken.length - 1]
    if (last === undefined || wrong === undefined) return []
    const before = [opener(answer), ...pieces.slice(0, -1), { ...last, text: wrong }]
    return [caller(...before, { text: answer.random.pick(corrections[answer.part]) }, last)]
  },
  "corrected whole": (answer) => [
    caller(...piecesOf({ ...answer, parts: answer.mistaken })),
    agent("okay"),
    caller({ text: answer.random.pick(corrections[answer.part]) }, ...piecesOf(answer))
  ],
  "read back": (answer) => {
    const [before, after] = answer.random.pick(readBacks[answer.part])
    return [
      caller(opener(answer), ...piecesOf(answer)),
      { speaker: "main_agent", pieces: [{ text: before }, ...piecesOf(answer), { text: after }] },
      caller({ text: "yes" })
    ]
  },
  "repeated question": (answer) => [
    caller({ text: "sorry what was that" }),
    agent("i said could you give me that please"),
    caller(...piecesOf(answer))
  ]
}

const dialogueOf = (
  kind: Kind,
  habit: Habit,
  delivery: Dialogue["delivery"],
  turns: ReadonlyArray<DialogueTurn>
): Dialogue => ({ kind, habit, delivery, style: "bare", turns: turns.map((turn) => turnOf(turn, habit)) })

const answered = (
  random: Random,
  kind: Kind,
  habit: Habit,
  delivery: DeliveryForm,
  part: Part
): ReadonlyArray<DialogueTurn> =>
  answers[delivery]({
    random,
    part,
    field: kinds[kind].field,
    parts: kinds[kind].make(random, habit, part),
    mistaken: kinds[kind].make(random, habit, part)
  })

const allKinds: ReadonlyArray<Kind> = Object.keys(kinds).filter((name): name is Kind => name in kinds)

/** What makes sense of "and the year". */
const context: Partial<Readonly<Record<Kind, string>>> = { birthYear: "thanks, now for your date of birth" }

/** A dialogue for every kind of value, question, transcript habit and way to answer. The same seed makes the same ones. */
export const questionDialogues = (seed: number, part: Part): ReadonlyArray<Dialogue> => {
  const random = randomOf(seed)
  return allKinds.flatMap((kind) =>
    habits.flatMap((habit) =>
      deliveries.map((delivery) => {
        const before = context[kind]
        return dialogueOf(kind, habit, delivery, [
          ...(before === undefined ? [] : [agent(before), caller({ text: "okay" })]),
          agent(random.pick(questions[kind][part])),
          ...answered(random, kind, habit, delivery, part)
        ])
      })
    )
  )
}

/** Values that a caller states without being asked. */
export const statementDialogues = (seed: number, part: Part): ReadonlyArray<Dialogue> => {
  const random = randomOf(seed)
  return allKinds.flatMap((kind) =>
    habits.flatMap((habit) =>
      (statements[kind]?.[part] ?? []).map((statement) => {
        const [before = "", after = ""] = statement.split("_").map((one) => one.trim())
        const value = kinds[kind].make(random, habit, part)
        return dialogueOf(kind, habit, "statement", [
          agent("how can i help you"),
          caller({ text: before }, ...value.map((text) => ({ text, field: kinds[kind].field })), { text: after })
        ])
      })
    )
  )
}

/** Two values in a row, the second one asked for by a short question. Every ordered pair of kinds of different fields. */
export const pairDialogues = (
  seed: number,
  part: Part,
  some: ReadonlyArray<Kind>
): ReadonlyArray<{ readonly dialogue: Dialogue; readonly second: SensitiveField }> => {
  const random = randomOf(seed)
  return some.flatMap((first) =>
    some
      .filter((second) => kinds[second].field !== kinds[first].field)
      .flatMap((second) =>
        (["words", "figures", "one figure"] as const).map((habit) => {
          const short =
            questions[second][part].find((one) => one.startsWith("and ")) ?? questions[second][part][0] ?? ""
          const asked = random
            .pick(followUps[part])
            .replace("and _", short.replace(/^(and )?/, "and "))
            .replace("_", short)
          const form = random.pick<DeliveryForm>(["whole", "whole", "back-channel"])
          return {
            second: kinds[second].field,
            dialogue: dialogueOf(second, habit, form, [
              agent(random.pick(questions[first][part])),
              ...answered(random, first, habit, form, part),
              agent(asked),
              ...answered(random, second, habit, "whole", part)
            ])
          }
        })
      )
  )
}
