/**
 * Decoding and validating a `service` transcript of 200 turns, compared with Effect Schema's decoding of the same struct,
 * which validates less: neither NUL characters, nor ranges, nor the order of times.
 */
import { TranscriptFormat } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { benchmark } from "./Benchmark.js"
import { compare, format } from "./measure.js"

interface Size {
  readonly rounds: number
  readonly decodesPerRound: number
}

const TURNS = 200

const utterances = [
  "Thanks for calling, how can I help?",
  "I would like to move my appointment to Thursday, if that is at all possible.",
  "Thursday",
  "Let me see: there is one slot left, at half past ten in the morning.",
  "That works. Do I have to bring anything?",
  "Just the card."
]

/** Parsed JSON, as in the server: about 22 KB of text, 8 KB of it speech. */
const payload: unknown = JSON.parse(
  JSON.stringify(
    Array.from({ length: TURNS }, (_, turn) => ({
      role: turn % 2 === 0 ? "Main Agent" : "Testing Agent",
      content: utterances[turn % utterances.length],
      start_time: turn * 3.25,
      end_time: turn * 3.25 + 2.75
    }))
  )
)

const decodeWithSchema = Schema.decodeUnknownEither(
  Schema.Array(
    Schema.Struct({
      role: Schema.Literal("Testing Agent", "Main Agent"),
      content: Schema.String,
      start_time: Schema.Number,
      end_time: Schema.Number
    })
  )
)

export const transcriptBenchmark = benchmark<Size>({
  name: "transcript",
  full: { rounds: 11, decodesPerRound: 2_000 },
  tiny: { rounds: 2, decodesPerRound: 5 },
  run: async ({ decodesPerRound, rounds }, { print }) => {
    const repeat = (decode: (input: unknown) => Either.Either<unknown, unknown>) =>
      Effect.sync(() => {
        for (let i = 0; i < decodesPerRound; i++) {
          if (Either.isLeft(decode(payload))) throw new Error("The transcript was rejected")
        }
      })
    const comparison = await Effect.runPromise(
      compare(
        rounds,
        repeat((input) => TranscriptFormat.builtIn.decode("service", input)),
        repeat(decodeWithSchema)
      )
    )
    print(`decoding ${decodesPerRound} transcripts of ${TURNS} turns, ${rounds} rounds`)
    print(`  decode and validate vs Effect Schema: ${format(comparison)} (target: at most 0.15)`)
  }
})
