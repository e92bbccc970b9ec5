import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as TestClock from "effect/TestClock"
import { upkeep } from "../src/Upkeep.js"

describe("what a server looks after", () => {
  it.effect("is tried again when it failed, and is a warning once that has happened three times in a row", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const outcomes = [true, false, false, true, false, false, false, false, true, false]
      let tries = 0
      const run = Effect.suspend(() => (outcomes[tries++] === false ? Effect.fail("busy") : Effect.void))
      const fiber = yield* upkeep({ failure: "It could not be done", every: "30 seconds", run }).pipe(
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ logLevel }) => {
              lines.push(`${tries} ${logLevel.label}`)
            })
          )
        ),
        Logger.withMinimumLogLevel(LogLevel.Debug),
        Effect.fork
      )
      yield* TestClock.adjust("270 seconds")
      yield* Fiber.interrupt(fiber)
      expect(tries).toBe(outcomes.length)
      expect(lines).toEqual(["2 DEBUG", "3 DEBUG", "5 DEBUG", "6 DEBUG", "7 WARN", "8 WARN", "10 DEBUG"])
    })
  )
})
