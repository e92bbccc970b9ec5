/** The engine for tests in any runner: it loads no test framework, and returns promises. */
import type { Actor, CurrentActor, Engine } from "@earshot/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { repeatableSecrets } from "./access/RepeatableSecrets.js"
import type { Driver } from "./models/Drivers.js"
import { engineDriver } from "./models/EngineDriver.js"
import * as TestEngine from "./TestEngine.js"

/** A clock that stands still until it is advanced. Sleeping takes real time. */
export interface ManualClock {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly advance: (by: Duration.DurationInput) => void
}

export interface PlainOptions {
  /** Default: `sqlite`. */
  readonly database?: TestEngine.DatabaseName
  /** The current time. Default: 2026-03-31T10:20:30.456Z, the last day of a 31-day month. */
  readonly now?: string
  /** Keys, tokens and links are the same in every run with one seed. */
  readonly seed?: string
  /** Fakes of external services, such as `fakeLanguageModel(...).layer`. */
  readonly ports?: Engine.Ports
}

export interface PlainEngine {
  readonly clock: ManualClock
  /** A new organization with a project, an agent, an API key and its actor. */
  readonly fixture: () => Promise<TestEngine.Fixture>
  /** Runs use cases as an actor; rejects with their typed errors. */
  readonly as: (actor: Actor) => <A, E>(useCase: Effect.Effect<A, E, Engine.Services | CurrentActor>) => Promise<A>
  /** Runs any effect on the engine. */
  readonly run: <A, E>(steps: Effect.Effect<A, E, Engine.Services | Engine.Storage>) => Promise<A>
  /** A driver of the engine as an actor, for models and fixtures. */
  readonly driver: (actor: Actor) => Driver
  /** Stops the engine and drops its database. */
  readonly stop: () => Promise<void>
}

const NOW = "2026-03-31T10:20:30.456Z"

const manualClock = (from: number): { readonly clock: ManualClock; readonly layer: Layer.Layer<never> } => {
  let now = from
  const real = Clock.make()
  const clock: Clock.Clock = {
    ...real,
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) => real.sleep(duration),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n)
  }
  return {
    clock: {
      now: () => now,
      advance: (by) => {
        now += Duration.toMillis(by)
      }
    },
    layer: Layer.setClock(clock)
  }
}

/** Starts an engine on a fresh database: `const engine = await startEngine()`, and `await engine.stop()` at the end. */
export const startEngine = async (options: PlainOptions = {}): Promise<PlainEngine> => {
  const { database = "sqlite", now = NOW, ports = {}, seed = "earshot" } = options
  const { clock, layer: clockLayer } = manualClock(Date.parse(now))
  const runtime = ManagedRuntime.make(
    TestEngine.engine(ports).pipe(
      Layer.provideMerge(TestEngine.storage(database)),
      Layer.provide(repeatableSecrets(seed)),
      Layer.provideMerge(clockLayer)
    )
  )
  await runtime.runtime()
  const run: PlainEngine["run"] = (steps) => runtime.runPromise(steps)
  return {
    clock,
    run,
    fixture: () => runtime.runPromise(TestEngine.fixture),
    as: (actor) => (useCase) => runtime.runPromise(TestEngine.as(actor)(useCase)),
    driver: (actor) => engineDriver((steps) => runtime.runPromise(steps), actor),
    stop: () => runtime.dispose()
  }
}
