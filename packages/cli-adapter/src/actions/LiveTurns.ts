/** The turns of a result's runs, printed while the runs are played. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Api, type ApiFailure, send, streamEvents } from "../Api.js"
import { printSeconds } from "../charts/Numbers.js"
import { sanitize } from "../Text.js"
import type { Wire } from "../Wire.js"

type Run = Wire<"Run">
type LiveTurn = Extract<Wire<"LiveEvent">, { readonly type: "turn" }>

/** Runs that are listened to at a time: a reader follows no more. */
const MAX_FOLLOWED = 16

/** A run that has just been claimed may not be published yet; one that is played elsewhere never is. */
const ATTEMPTS = 3

const isTurn = (event: unknown): event is LiveTurn =>
  typeof event === "object" && event !== null && "type" in event && event.type === "turn"

/** A turn on one line. */
const turnLine = (
  { id, scenario_name: scenario }: Pick<Run, "id" | "scenario_name">,
  { content, speaker, start_time: start }: Omit<LiveTurn, "type" | "end_time">
): string => {
  const name = speaker === "main_agent" ? "Main Agent" : "Testing Agent"
  return sanitize(`[${id} ${scenario}${start === null ? "" : ` ${printSeconds(start)}`}] ${name}: ${content}`)
}

/**
 * Looks for runs in progress and listens to them until the scope ends.
 *
 * @returns what is to be done at every poll
 */
export const makeLiveTurns = (
  result: number,
  print: (line: string) => Effect.Effect<void>
): Effect.Effect<Effect.Effect<void, ApiFailure, Api>, never, Api | Scope.Scope> =>
  Effect.gen(function* () {
    const attempts = new Map<number, number>()
    const listening = new Set<number>()
    const run = yield* FiberSet.makeRuntime<Api>()
    const follow = (one: Run) =>
      streamEvents("/test_framework/v1/runs/{id}/live/", { id: one.id }).pipe(
        Stream.runForEach((event) => {
          // What was printed is not printed again, should the connection be lost.
          attempts.set(one.id, ATTEMPTS)
          return isTurn(event) ? print(turnLine(one, event)) : Effect.void
        }),
        // Its turns are those of the result: nothing is lost.
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => listening.delete(one.id)))
      )
    return Effect.gen(function* () {
      const { results } = yield* send("get", "/test_framework/v1/runs/", {
        query: { result, status: "running", limit: 200 }
      })
      for (const one of results.toReversed()) {
        const tried = attempts.get(one.id) ?? 0
        if (listening.has(one.id) || tried >= ATTEMPTS || listening.size >= MAX_FOLLOWED) continue
        attempts.set(one.id, tried + 1)
        listening.add(one.id)
        run(follow(one))
      }
    })
  })
