import {
  type Agent,
  ChatAgent,
  type Channel,
  type OpenChatEndpoint,
  RunExecutor,
  RunId,
  type Scenario
} from "@earshot/core"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { describe } from "vitest"

/** A run executor, and agents under test. */
export interface RunExecutorFixture {
  readonly executor: Layer.Layer<RunExecutor>
  /** One of the executor's channels. */
  readonly channel: Channel
  /** Answers every message. */
  readonly answering: Agent
  /** Cannot be reached. */
  readonly unreachable: Agent
  /** Accepts messages and never answers. */
  readonly silent: Agent
  /** A scenario that the executor can play and that ends by itself. */
  readonly scenario: Scenario
}

/** The contract of every `RunExecutor`. */
export const runExecutorContract = (subject: string, fixture: RunExecutorFixture): void => {
  const { answering, channel, executor, scenario, silent, unreachable } = fixture
  const play = (agent: Agent, id = 1) =>
    Effect.flatMap(RunExecutor, (runs) =>
      runs.play({
        run: RunId.make(id),
        channel,
        agent,
        // The agents of fixtures have no headers.
        chatEndpoint: agent.chatEndpoint === null ? null : { ...agent.chatEndpoint, headers: {} },
        voiceEndpoint: agent.voiceEndpoint === null ? null : { ...agent.voiceEndpoint, headers: {}, authToken: null },
        scenario
      })
    ).pipe(Effect.provide(executor))
  describe(`runs played by ${subject}`, () => {
    it.live("have one of the executor's channels, which are listed once each", () =>
      Effect.gen(function* () {
        const { channels } = yield* RunExecutor
        expect(channels).toContain(channel)
        expect(new Set(channels).size).toBe(channels.length)
      }).pipe(Effect.provide(executor))
    )

    it.live("end with a transcript of both sides whose times are in order and within the run's length", () =>
      Effect.gen(function* () {
        const { durationSeconds, moments, outcome, transcript } = yield* play(answering)
        expect(outcome.is, outcome.reason).toBe("ended")
        expect(outcome.reason).not.toBe("")
        expect(new Set(transcript.turns.map(({ speaker }) => speaker)).size).toBe(2)
        let last = 0
        for (const { content, endTime = last, startTime = last } of transcript.turns) {
          expect(content.isWellFormed() && !content.includes("\0")).toBe(true)
          expect([startTime >= last, endTime >= startTime]).toEqual([true, true])
          last = startTime
          expect(endTime).toBeLessThanOrEqual(durationSeconds + 0.001)
        }
        for (const { at_second: second } of moments) {
          expect(second).toBeGreaterThanOrEqual(0)
          expect(second).toBeLessThanOrEqual(durationSeconds + 0.001)
        }
      })
    )

    it.live("fail with a reason when the agent cannot be reached", () =>
      Effect.gen(function* () {
        const { durationSeconds, outcome } = yield* play(unreachable)
        expect(["failed", "timeout"]).toContain(outcome.is)
        expect(outcome.reason.trim()).not.toBe("")
        expect(durationSeconds).toBeGreaterThanOrEqual(0)
      })
    )

    it.live("are independent of each other", () =>
      Effect.gen(function* () {
        const both = yield* Effect.all([play(answering, 1), play(unreachable, 2), play(answering, 3)], {
          concurrency: "unbounded"
        })
        expect(both.map(({ outcome }) => outcome.is === "ended")).toEqual([true, false, true])
      })
    )

    it.live("stop when they are interrupted, also while the agent does not answer", () =>
      Effect.gen(function* () {
        const playing = yield* Effect.fork(play(silent))
        yield* Effect.sleep("100 millis")
        const exit = yield* Fiber.interrupt(playing)
        expect(exit._tag).toBe("Failure")
      })
    )
  })
}

type Endpoint = OpenChatEndpoint

/** A `ChatAgent`, and agents under test. */
export interface ChatAgentFixture {
  readonly agents: Layer.Layer<ChatAgent>
  /** Answers "Hello" to every message. */
  readonly answering: Endpoint
  /** Rejects messages, or sends an invalid response. */
  readonly failing: Endpoint
  readonly unreachable: Endpoint
  /** Accepts messages and never answers. */
  readonly silent: Endpoint
}

/** The contract of every `ChatAgent`. */
export const chatAgentContract = (subject: string, fixture: ChatAgentFixture): void => {
  const secret = "my number is 555-0100"
  const talk = (endpoint: Endpoint) =>
    Effect.flatMap(ChatAgent, (agents) =>
      agents.reply(endpoint, {
        conversation: "contract",
        model: "agent",
        messages: [{ speaker: "testing_agent", text: secret }],
        variables: { name: "Ann" }
      })
    ).pipe(Effect.provide(fixture.agents))
  describe(`agents under test, talked to by ${subject}`, () => {
    it.live("return the agent's text", () =>
      Effect.gen(function* () {
        const { endsCall, text, toolCalls } = yield* talk(fixture.answering)
        expect([text, endsCall, toolCalls]).toEqual(["Hello", false, []])
      })
    )

    it.live("fail with a reason that repeats nothing of the conversation", () =>
      Effect.gen(function* () {
        for (const endpoint of [fixture.failing, fixture.unreachable]) {
          const failed = yield* Effect.flip(talk(endpoint))
          expect(failed._tag).toBe("ChatFailed")
          expect(failed.reason.trim()).not.toBe("")
          expect(failed.reason).not.toContain("555-0100")
        }
      })
    )

    it.live("are aborted when the caller is interrupted", () =>
      Effect.gen(function* () {
        const asking = yield* Effect.fork(talk(fixture.silent))
        yield* Effect.sleep("100 millis")
        expect((yield* Fiber.interrupt(asking))._tag).toBe("Failure")
      })
    )
  })
}
