import {
  begin,
  choices,
  type ConditionalActions,
  fitsDescription,
  MAX_UNMATCHED,
  parseConditionalActions,
  perform,
  type Step,
  step
} from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

type Item = readonly [condition: string | number, action: string, type?: "action_followup"]

const script = (...items: ReadonlyArray<Item>): ConditionalActions =>
  Either.getOrThrowWith(
    parseConditionalActions({
      role: "Somebody in a hurry",
      conditions: [
        { id: 0, condition: "FIRST_MESSAGE", action: "Hello." },
        ...items.map(([condition, action, type], place) => ({
          id: place + 1,
          condition,
          action,
          ...(type === undefined ? {} : { type })
        }))
      ]
    }),
    (errors) => new Error(JSON.stringify(errors))
  )

const wordOf = ({ move }: Step): string | number =>
  move.does === "act" ? move.item.id : move.does === "leave" ? move.because : move.does

/** What the testing agent does about each reply, from its opening on. */
const played = (actions: ConditionalActions, ...replies: ReadonlyArray<string>): ReadonlyArray<string | number> => {
  let at = begin(actions)
  return [
    wordOf(at),
    ...replies.map((reply) => {
      at = step(at.state, reply)
      return wordOf(at)
    })
  ]
}

describe("a testing agent", () => {
  it("opens with item 0, then performs the first item whose description matches the reply, each once", () => {
    const actions = script(
      ["The agent asks for the number of guests", "Two."],
      ["The agent asks for the name", "Ann Smith."],
      ["The agent confirms the booking", "Bye. <endcall />"]
    )
    expect(
      played(
        actions,
        "And your name, please?",
        "For how many guests? What is the number?",
        "And the number of guests again?",
        "Your booking is confirmed."
      )
    ).toEqual([0, 2, 1, "wait", 3])
  })

  it("performs follow-ups of an item at the next replies, whatever they say", () => {
    const actions = script(
      ["The agent greets", "Hi there."],
      [1, "One more thing.", "action_followup"],
      [1, "And another.", "action_followup"],
      ["The agent says goodbye", "Bye. <endcall />"]
    )
    expect(played(actions, "The agent greets you: greetings!", "Goodbye!", "Goodbye!", "Goodbye!")).toEqual([
      0, 1, 2, 3, 4
    ])
  })

  it("prefers matching descriptions to standard items that refer to another item", () => {
    const actions = script(
      ["The agent asks for the date", "Friday."],
      [1, "Is parking free?"],
      ["The agent names the price", "Fine."]
    )
    expect(played(actions, "Which date?", "The price is ten euros.", "Anything else?", "No.")).toEqual([
      0,
      1,
      3,
      2,
      "script_finished"
    ])
  })

  it("matches a follow-up's description only until another item is performed", () => {
    const actions = script(
      ["The agent asks for the date", "Friday."],
      ["The agent repeats friday", "Exactly.", "action_followup"],
      ["The agent asks for the time", "At eight."]
    )
    expect(played(actions, "Friday?", "What date?", "Hm.", "Friday, then.")).toEqual([0, "wait", 1, "wait", 2])
    expect(played(actions, "What date?", "What time?", "Friday, then.")).toEqual([0, 1, 3, "wait"])
  })

  it("gives up after too many replies without a match, and hangs up when every item is done", () => {
    const actions = script(["The agent mentions a refund", "Great."])
    expect(played(actions, "a", "b", "c")).toEqual([0, "wait", "wait", "no_condition_met"])
    expect(played(actions, "a", "b", "A refund is due.", "Bye.")).toEqual([0, "wait", "wait", 1, "script_finished"])
    expect(played(script(), "Hi.")).toEqual([0, "script_finished"])
  })

  it("uses a given match instead of matching by words, and ignores one that is not open", () => {
    const actions = script(["The agent mentions a refund", "Great."], ["The agent asks for the date", "Friday."])
    const opened = begin(actions)
    expect(wordOf(step(opened.state, "Whatever.", 2))).toBe(2)
    expect(wordOf(step(opened.state, "A refund.", null))).toBe("wait")
    expect(wordOf(step(opened.state, "A refund.", 0))).toBe("wait")
    expect(wordOf(step(opened.state, "A refund.", 99))).toBe("wait")
  })

  it("ends after a bounded number of replies and performs no item twice, for any script and replies", () => {
    const word = fc.constantFrom("date", "price", "name", "refund")
    const asked = word.map((one) => `The agent asks for the ${one}`)
    const item = fc.oneof(
      fc.tuple(asked, fc.constant("Yes.")),
      fc.tuple(asked, fc.constant("Yes."), fc.constant("action_followup" as const)),
      fc.tuple(fc.constant(0), fc.constant("So."), fc.constantFrom(undefined, "action_followup" as const))
    )
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), fc.infiniteStream(word), (items, words) => {
        const actions = script(
          ...items.map(([condition, action, type]): Item =>
            type === undefined ? [condition, action] : [condition, action, type]
          )
        )
        let at = begin(actions)
        let replies = 0
        const most = (actions.conditions.length + 1) * MAX_UNMATCHED
        while (at.move.does !== "leave" && replies <= most) {
          const open = choices(at.state)
          expect(open.described.every(({ item: one }) => !at.state.done.includes(one.id))).toBe(true)
          at = step(at.state, words.next().value ?? "")
          replies++
        }
        expect(replies).toBeLessThanOrEqual(most)
        expect(new Set(at.state.done).size).toBe(at.state.done.length)
      })
    )
  })
})

describe("an action", () => {
  const performed = (action: string) => {
    const { conditions } = script(["x", action])
    return perform(conditions[1]?.action ?? [])
  }

  it("is split at silence and hold, with each utterance and marker at its time", () => {
    expect(
      performed('Wait. <silence time="2" /> Still there? <hold time="3.5" />[laughter] Bye. <endcall /> never said')
    ).toEqual({
      utterances: [
        { text: "Wait.", after: 0 },
        { text: "Still there?", after: 2 },
        { text: "[laughter] Bye.", after: 5.5 }
      ],
      markers: [
        { kind: "silence", seconds: 2, after: 0 },
        { kind: "hold", seconds: 3.5, after: 2 },
        { kind: "laughter", seconds: null, after: 5.5 },
        { kind: "endcall", seconds: null, after: 5.5 }
      ],
      pause: 5.5,
      endsCall: true
    })
  })

  it("may consist of silence only", () => {
    expect(performed('<silence time="5" />')).toMatchObject({ utterances: [], pause: 5, endsCall: false })
  })
})

describe("matching a reply against a description by words", () => {
  it.each([
    ["The agent asks for the date", "Which date would suit you?", true],
    ["The agent asks for the date", "Which dates would suit you?", true],
    ["The agent asks for the date", "How many people?", false],
    ["The agent confirms the booking of the table", "I have booked a table for you, it is confirmed.", true],
    ["The agent offers parking", "We have a parking lot.", true],
    ['The agent says "good bye"', "Well then: Good bye!", true],
    ['The agent says "good bye"', "Good, and by the way: bye.", false],
    ["The agent answers", "Anything.", true],
    ["The agent answers", "  ", false],
    ["Der Agent fragt nach dem Namen", "Wie ist Ihr Namen, fragt der Chef?", true],
    ["客服询问日期", "请问您的日期?", false],
    ["日期", "请问日期?", true]
  ] as const)("%s / %s: %s", (description, reply, fits) => {
    expect(fitsDescription(description, reply)).toBe(fits)
  })

  it("ignores case and punctuation, and accepts any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (description, reply) => {
        expect(typeof fitsDescription(description, reply)).toBe("boolean")
      })
    )
    expect(fitsDescription("THE AGENT ASKS FOR THE DATE", "date...")).toBe(true)
  })
})
