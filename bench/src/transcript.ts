/**
 * What it costs to decode and check a `service` transcript of 200 turns, against Effect Schema's decode of the same
 * struct, which checks less: neither NUL, nor ranges, nor the order of times.
 */
import { TranscriptFormat } from "@earshot/core"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

export const name = "transcript"

const TURNS = 200
const ROUNDS = 11
const DECODES_A_ROUND = 2_000

const said = [
  "Thanks for calling, how can I help?",
  "I would like to move my appointment to Thursday, if that is at all possible.",
  "Thursday",
  "Let me see: there is one slot left, at half past ten in the morning.",
  "That works. Do I have to bring anything?",
  "Just the card."
]

/** As the server has it: fresh from `JSON.parse`, about 22 KB as text, 8 KB of it speech. */
const payload: unknown = JSON.parse(
  JSON.stringify(
    Array.from({ length: TURNS }, (_, turn) => ({
      role: turn % 2 === 0 ? "Main Agent" : "Testing Agent",
      content: said[turn % said.length],
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

/** Microseconds a decode, over one round. */
const timed = (decode: (input: unknown) => Either.Either<unknown, unknown>): number => {
  let accepted = 0
  const before = process.hrtime.bigint()
  for (let i = 0; i < DECODES_A_ROUND; i++) if (Either.isRight(decode(payload))) accepted++
  const nanoseconds = Number(process.hrtime.bigint() - before)
  return accepted === DECODES_A_ROUND ? nanoseconds / 1_000 / DECODES_A_ROUND : Number.NaN
}

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

export const run = async (): Promise<void> => {
  const ours = (input: unknown) => TranscriptFormat.builtIn.decode("service", input)
  timed(ours)
  timed(decodeWithSchema)
  const rounds: Array<{ readonly own: number; readonly schema: number }> = []
  for (let round = 0; round < ROUNDS; round++) {
    // Who goes first alternates, so that neither always runs on the other's garbage.
    rounds.push(
      round % 2 === 0
        ? { own: timed(ours), schema: timed(decodeWithSchema) }
        : { schema: timed(decodeWithSchema), own: timed(ours) }
    )
  }
  const own = median(rounds.map((round) => round.own))
  const schema = median(rounds.map((round) => round.schema))
  const ratio = median(rounds.map((round) => round.own / round.schema))
  console.log(`transcript of ${TURNS} turns, ${ROUNDS} interleaved rounds of ${DECODES_A_ROUND} decodes`)
  console.log(`  decode and check      ${own.toFixed(1)} us`)
  console.log(`  Effect Schema alone   ${schema.toFixed(1)} us`)
  console.log(`  median ratio          ${ratio.toFixed(3)} (at most 0.15 wanted)`)
}
