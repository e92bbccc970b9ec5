import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * How long a process may go by what it read before, where another process has changed it since: the state of API keys,
 * links and tokens, and which agent an id names. Zero asks storage every time.
 */
export class Staleness extends Context.Reference<Staleness>()("@earshot/core/kernel/Staleness", {
  defaultValue: (): Duration.Duration => Duration.seconds(5)
}) {}

/** Answers that are used again for a few seconds. */
export interface ShortMemory<A> {
  /** The answer remembered under a key, if it is fresh. */
  readonly recall: (key: string) => Effect.Effect<A | undefined>
  /**
   * Runs a lookup and remembers what `answers` makes of its result. What is forgotten while it runs stays forgotten: the
   * lookup may have read what was there before.
   */
  readonly learn: <B, E, R>(
    lookup: Effect.Effect<B, E, R>,
    answers: (found: B) => Iterable<readonly [key: string, answer: A]>
  ) => Effect.Effect<B, E, R>
  /** Forgets what this process has just changed, after its transaction has ended. */
  readonly forget: (matches: (answer: A) => boolean) => Effect.Effect<void>
}

/** A memory of at most `capacity` answers, those that were learnt first giving way. */
export const make = <A>(capacity: number): Effect.Effect<ShortMemory<A>> =>
  Effect.map(Staleness, (staleness) => {
    const lifetime = Duration.toMillis(staleness)
    const remembered = new Map<string, { readonly answer: A; readonly until: number }>()
    let forgettings = 0
    return {
      recall: (key) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const found = remembered.get(key)
          if (found === undefined) return undefined
          if (now < found.until) return found.answer
          remembered.delete(key)
          return undefined
        }),
      learn: (lookup, answers) =>
        Effect.gen(function* () {
          if (lifetime <= 0) return yield* lookup
          const before = forgettings
          // Counted from before the lookup, since what it reads may be as old as its start.
          const until = (yield* Clock.currentTimeMillis) + lifetime
          const found = yield* lookup
          if (forgettings === before) {
            for (const [key, answer] of answers(found)) {
              remembered.delete(key)
              const oldest = remembered.size >= capacity ? remembered.keys().next().value : undefined
              if (oldest !== undefined) remembered.delete(oldest)
              remembered.set(key, { answer, until })
            }
          }
          return found
        }),
      forget: (matches) =>
        Effect.sync(() => {
          forgettings++
          for (const [key, { answer }] of remembered) if (matches(answer)) remembered.delete(key)
        })
    }
  })
