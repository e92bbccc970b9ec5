/** Calls as a small telephone team might have had them: the same for the same seed and the same instant. */

const DAY = 86_400_000
const HOUR = 3_600_000

/** A call to take in, and what a reviewer says of it afterwards; null for the calls that nobody has looked at. */
export interface DemoCall {
  readonly body: Readonly<Record<string, unknown>>
  readonly success: boolean | null
}

/** Numbers from 0 to 1 that look like chance (mulberry32). */
const chance = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One of several, the ones with more weight more often. */
const weighted = <A>(draw: number, choices: ReadonlyArray<readonly [A, number]>, otherwise: A): A => {
  let left = draw * choices.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [choice, weight] of choices) {
    left -= weight
    if (left < 0) return choice
  }
  return otherwise
}

/** How many calls come in each hour of the day: quiet nights, a rush before noon and one after lunch. */
const BY_HOUR = [1, 1, 1, 1, 1, 2, 4, 9, 18, 26, 30, 27, 16, 21, 28, 26, 22, 17, 11, 7, 5, 3, 2, 1]
/** The same for the days of the week, from Sunday. */
const BY_DAY = [3, 11, 10, 10, 9, 10, 4]

const REGIONS = [
  ["us-east", 42],
  ["us-west", 26],
  ["eu-central", 20],
  ["ap-south", 12]
] as const

const INTENTS = [
  {
    topic: "reschedule",
    weight: 34,
    says: [
      "Hi, I need to move my appointment.",
      "Thursday afternoon, if you have something.",
      "Two thirty works. Thanks!"
    ],
    asks: [
      "Sure, which day would suit you?",
      "I have two thirty or four o'clock.",
      "Done. You'll get a text to confirm."
    ]
  },
  {
    topic: "billing",
    weight: 24,
    says: ["I was charged twice this month.", "It ends in 4471.", "Okay, how long does that take?"],
    asks: [
      "I'm sorry about that. What are the last four digits of the card?",
      "I see both, and have refunded one.",
      "Three to five working days."
    ]
  },
  {
    topic: "opening hours",
    weight: 18,
    says: ["Are you open on Saturday?", "And is there parking?", "Great, bye."],
    asks: ["Yes, from nine to one.", "Right behind the building, the first hour is free.", "See you then!"]
  },
  {
    topic: "order status",
    weight: 24,
    says: ["Where is my order?", "Number five five one two.", "So tomorrow, then?"],
    asks: ["Let me look. What is the number?", "It left our warehouse this morning.", "Yes, tomorrow before noon."]
  }
] as const

type Ending =
  "customer-ended-call" | "agent-ended-call" | "transferred-to-human" | "silence-timed-out" | "voicemail" | "error"

const ENDINGS: ReadonlyArray<readonly [Ending, number]> = [
  ["customer-ended-call", 46],
  ["agent-ended-call", 25],
  ["transferred-to-human", 13],
  ["silence-timed-out", 9],
  ["voicemail", 5],
  ["error", 2]
]

const SUCCEEDS: { readonly [Name in Ending]: number } = {
  "customer-ended-call": 0.88,
  "agent-ended-call": 0.95,
  "transferred-to-human": 0.42,
  "silence-timed-out": 0.12,
  voicemail: 0.05,
  error: 0
}

const hundredths = (seconds: number): number => Math.round(seconds * 100) / 100

/** Whether a call at this instant is as likely as the hour and the day have it. */
const likely = (at: Date, draw: number): boolean =>
  draw < ((BY_HOUR[at.getUTCHours()] ?? 0) / 30) * ((BY_DAY[at.getUTCDay()] ?? 0) / 11)

/** So many calls of the 30 days (UTC) of which the day of `now` (epoch milliseconds) is the last, the oldest first. */
export const demoCalls = (count: number, now: number, seed = 7): ReadonlyArray<DemoCall> => {
  const draw = chance(seed)
  const moments: Array<number> = []
  // Counted from the full hour, so that the pattern of a day does not depend on the minute the demo is started.
  const end = Math.floor(now / HOUR) * HOUR
  // Whole days: an earlier call would be left out of the dashboard, which counts from a day's beginning.
  const start = Math.floor(now / DAY) * DAY - 29 * DAY
  while (moments.length < count) {
    const at = Math.round(end - draw() * (end - start))
    if (likely(new Date(at), draw())) moments.push(at)
  }
  return moments
    .toSorted((a, b) => a - b)
    .map((at, number) => {
      const intent = weighted(
        draw(),
        INTENTS.map((one) => [one, one.weight] as const),
        INTENTS[0]
      )
      const ending = weighted(draw(), ENDINGS, "agent-ended-call")
      const turns = ending === "voicemail" ? 1 : ending === "silence-timed-out" || ending === "error" ? 3 : 6
      let clock = 0.4 + draw()
      const transcript = Array.from({ length: turns }, (_, turn) => {
        const content = (turn % 2 === 0 ? intent.says : intent.asks)[Math.floor(turn / 2)] ?? ""
        const start = clock
        clock += content.length / 14 + draw() * 2
        const finish = clock
        // The agent answers soon, but for a slow look-up; people think, and now and then look for something for long.
        const agentIsNext = turn % 2 === 0
        const long = draw() < (agentIsNext ? 0.06 : 0.4)
        if (agentIsNext) clock += 0.4 + draw() * 1.1 + (long ? 1.5 + draw() * 3 : 0)
        else clock += long ? 8 + draw() * 45 : 0.3 + draw() * 3
        return {
          role: turn % 2 === 0 ? "Testing Agent" : "Main Agent",
          content,
          start_time: hundredths(start),
          end_time: hundredths(finish)
        }
      })
      const reviewed = draw() < 0.85
      const success = draw() < SUCCEEDS[ending]
      return {
        body: {
          call_id: `demo-${String(number + 1).padStart(4, "0")}`,
          timestamp: new Date(at).toISOString(),
          transcript_type: "service",
          transcript_json: transcript,
          call_ended_reason: ending,
          customer_number: `+1202555${String(100 + Math.floor(draw() * 100)).padStart(4, "0")}`,
          metadata: {
            region: weighted(draw(), REGIONS, "us-east"),
            intent: intent.topic,
            plan: weighted(
              draw(),
              [
                ["starter", 5],
                ["pro", 4],
                ["enterprise", 1]
              ] as const,
              "starter"
            )
          }
        },
        success: reviewed ? success : null
      }
    })
}
