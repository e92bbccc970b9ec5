/** What a caller says while the agent speaks: back-channels, and an interruption. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SeededBehavior } from "../catalog/VoiceBehavior.js"
import { backchannelsOf, interruptionOf, millisOfWords } from "./voice/BehaviorRules.js"
import type { AgentTurn, CallEnd, VoiceCall } from "./voice/VoiceCall.js"

const NEVER = Number.POSITIVE_INFINITY

export interface Reactions<E> {
  readonly call: Pick<VoiceCall, "position" | "soFar" | "speaks">
  /** How an agent's turn is waited for, in milliseconds. */
  readonly endMillis: number
  readonly timeoutMillis: number
  readonly maxMillis: number
  readonly synthesize: (phrase: string) => Effect.Effect<Uint8Array, E>
  readonly interject: (
    kind: "interruption" | "backchannel",
    phrase: string,
    audio: Uint8Array
  ) => Effect.Effect<void, E | CallEnd>
  /** The number of words of what was said. */
  readonly countWords: (turn: AgentTurn) => Effect.Effect<number, E>
}

/**
 * Reacts to the agent's next turn while it lasts, and takes nothing of it; true if it was interrupted, false when it is over
 * or nothing is left to be said. Words are counted when enough of them can have been said: the agent speaks on meanwhile.
 */
export const reactToTurn = <E>(
  behavior: SeededBehavior,
  turn: number,
  { call, countWords, endMillis, interject, maxMillis, synthesize, timeoutMillis }: Reactions<E>
): Effect.Effect<boolean, E | CallEnd> =>
  Effect.gen(function* () {
    const interruption = interruptionOf(behavior, turn)
    const interrupting = interruption && {
      ...interruption,
      audio: yield* synthesize(interruption.phrase)
    }
    const words = interrupting?.afterWords ?? null
    const interruptAt = interrupting?.afterMillis ?? NEVER
    let countAt = words === null ? NEVER : millisOfWords(words)
    const backchannels = [...backchannelsOf(behavior, turn, maxMillis)]
    const speaks = (afterMillis: number) => call.speaks({ afterMillis, endMillis, timeoutMillis })
    const interrupt = Effect.gen(function* () {
      if (interrupting === null || !(yield* speaks(0))) return false
      yield* interject("interruption", interrupting.phrase, interrupting.audio)
      return true
    })
    /** When the turn may have so many words; null if it has them. */
    const missing = (count: number) =>
      Effect.flatMap(
        call.soFar,
        Option.match({
          onNone: () => Effect.succeed(millisOfWords(count)),
          onSome: (present) =>
            Effect.zipWith(countWords(present), call.position, (counted, now) =>
              counted >= count ? null : now - present.start + millisOfWords(count - counted)
            )
        })
      )
    for (;;) {
      const [backchannel] = backchannels
      const next = Math.min(interruptAt, countAt, backchannel?.afterMillis ?? NEVER)
      if (next > maxMillis) return false
      const audio = next === backchannel?.afterMillis ? yield* synthesize(backchannel.phrase) : undefined
      if (!(yield* speaks(next))) return false
      if (next === interruptAt) return yield* interrupt
      if (next === countAt) {
        const later = yield* missing(words ?? 0)
        if (later === null) return yield* interrupt
        countAt = later
      } else if (backchannel !== undefined && audio !== undefined) {
        backchannels.shift()
        yield* interject("backchannel", backchannel.phrase, audio)
      }
    }
  })
