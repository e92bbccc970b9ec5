import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { hostPermit, type Permit } from "../access/Permit.js"
import { Recordings } from "../calls/Recordings.js"
import { Agents } from "../catalog/Agents.js"
import { keyMissing } from "../catalog/EndpointRules.js"
import { Personalities } from "../catalog/Personalities.js"
import { fillPlaceholders } from "../catalog/PlaceholderRules.js"
import { TestProfiles } from "../catalog/TestProfiles.js"
import { Ledger } from "../credits/Ledger.js"
import type { Claim } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { JobHandler } from "../jobs/JobHandler.js"
import type { JsonObject } from "../kernel/Json.js"
import type { StorageError } from "../kernel/Storage.js"
import { type EvaluatedSubject } from "../metrics/EvaluatedSubject.js"
import { evaluateAttempt, waitingFailure } from "../metrics/EvaluationAttempt.js"
import { chargesOf } from "../metrics/EvaluationCharges.js"
import type { Metric } from "../metrics/Metric.js"
import { decidesSuccess } from "../metrics/MetricRules.js"
import { Metrics } from "../metrics/Metrics.js"
import type { Evaluated } from "../metrics/Evaluation.js"
import { Scorer } from "../metrics/Scorer.js"
import { withoutRedaction } from "@earshot/redaction"
import type { PlayableRun, RunRecording } from "../results/RunDetail.js"
import { EXECUTE_JOB, RunPayload, SCORE_JOB } from "../results/RunJobs.js"
import { type RunReport, RunWork, type LeasedRun } from "../results/RunWork.js"
import { LiveRuns } from "./LiveRuns.js"
import { type PlayedRun, RunExecutor, type RunToPlay } from "./RunExecutor.js"
import { type Persona, readRunScript, type RunScript, type Scenario, scenarioOf } from "./RunScript.js"

/** Plays the runs of the engine's own channels, and scores all runs. */
export class Simulations extends Context.Tag("@earshot/core/simulation/Simulations")<
  Simulations,
  {
    /** Do the jobs that play runs and those that score them. */
    readonly handlers: ReadonlyArray<JobHandler>
  }
>() {}

export interface SimulationConfig {
  /** Runs that this process plays at a time. Default: 8. */
  readonly concurrency?: number
  /** Runs that this process scores at a time. Default: 4. */
  readonly scoringConcurrency?: number
}

/** How often a run in progress checks that it is still to be played. */
const WATCH = "1 second"
/** Checks between two heartbeats. */
const CHECKS_PER_HEARTBEAT = 15

/** Retries of storing a run's report; its lease outlasts them. */
const REPORTING = Schedule.intersect(Schedule.spaced("2 seconds"), Schedule.recurs(10))

/** Retries of storing a recording; the lease outlasts them, since it is extended meanwhile. */
const STORING = Schedule.intersect(Schedule.spaced("2 seconds"), Schedule.recurs(3))

/** The predefined metric that compares a run with its scenario's expected outcome. */
const OUTCOME_CODE = "expected_outcome"

const decodePayload = Schema.decodeUnknown(RunPayload)

const unreadable = new JobFailed({ reason: "The job payload names no run.", retry: false })

/** A script with its scenario, or the reason why it cannot be played. */
type Prepared = Either.Either<{ readonly script: RunScript; readonly scenario: Scenario }, string>

const reportOf = (played: PlayedRun, recording: RunRecording | null): RunReport => ({
  outcome: played.outcome.is,
  reason: played.outcome.reason,
  transcript: { type: "service", turns: withoutRedaction(played.transcript) },
  moments: played.moments,
  voiceBehavior: played.voiceBehavior,
  durationSeconds: played.durationSeconds,
  success: null,
  recording
})

const unplayable = (reason: string): RunReport => ({
  outcome: "failed",
  reason,
  transcript: null,
  moments: [],
  voiceBehavior: null,
  durationSeconds: null,
  success: null,
  recording: null
})

export const layer = (config: SimulationConfig = {}) =>
  Layer.effect(
    Simulations,
    Effect.gen(function* () {
      const runs = yield* RunWork
      const executor = yield* RunExecutor
      const agents = yield* Agents
      const personalities = yield* Personalities
      const profiles = yield* TestProfiles
      const metrics = yield* Metrics
      const scorer = yield* Scorer
      const ledger = yield* Ledger
      const recordings = yield* Recordings
      const live = yield* LiveRuns

      const informationOf = (
        permit: Permit,
        profile: RunScript["test_profile"]
      ): Effect.Effect<Either.Either<JsonObject | null, string>, StorageError> =>
        profile === null
          ? Effect.succeed(Either.right(null))
          : profile.id === null
            ? Effect.succeed(Either.right(profile.information ?? {}))
            : profiles.find(permit, profile.id).pipe(
                Effect.map(({ information }) => Either.right(information)),
                Effect.catchTag("NotFound", () =>
                  Effect.succeed(Either.left(`The test profile ${JSON.stringify(profile.name)} was deleted.`))
                )
              )

      const personaOf = (
        permit: Permit,
        { agent }: PlayableRun,
        stored: RunScript["personality"]
      ): Effect.Effect<Persona | null, StorageError> => {
        if (stored === null) return Effect.succeed(null)
        const persona: Persona = { ...stored, voiceBehavior: null }
        return stored.id === null
          ? Effect.succeed(persona)
          : Effect.map(
              personalities.enabledIn(permit, agent.projectId),
              // A personality that is no longer enabled keeps its stored name.
              (enabled) => enabled.find(({ id }) => id === stored.id) ?? persona
            )
      }

      const prepared = (permit: Permit, run: PlayableRun): Effect.Effect<Prepared, StorageError> =>
        Effect.gen(function* () {
          const script = readRunScript(run.script)
          if (Either.isLeft(script)) return Either.left("The stored scenario is invalid.")
          const information = yield* informationOf(permit, script.right.test_profile)
          // A finished conversation is scored even if the profile was deleted.
          if (Either.isLeft(information) && run.run.status !== "evaluating") return Either.left(information.left)
          const persona = yield* personaOf(permit, run, script.right.personality)
          const of = { information: Either.getOrElse(information, () => null), persona }
          return Either.map(scenarioOf(script.right, of), (scenario) => ({
            script: script.right,
            scenario
          }))
        })

      /** Completes when the run is no longer to be played. */
      const watched = (permit: Permit<"results:write">, taken: LeasedRun) =>
        Effect.gen(function* () {
          for (let checks = 1; ; checks++) {
            yield* Effect.sleep(WATCH)
            const check =
              checks % CHECKS_PER_HEARTBEAT === 0 ? runs.heartbeat(permit, taken) : runs.isLeaseValid(permit, taken)
            // A database error is no reason to stop: storing the report checks the lease again.
            const stays = yield* Effect.catchAll(check, (error) =>
              Effect.as(Effect.logWarning("Failed to check a run in progress", { run: taken.run.id, error }), true)
            )
            if (!stays) return
          }
        })

      /** Stores the recording. A run is reported without it where that fails: its conversation is not held again. */
      const storedRecording = (
        permit: Permit<"results:write">,
        taken: LeasedRun,
        { durationSeconds, recording }: PlayedRun
      ): Effect.Effect<RunRecording | null> =>
        recording === null
          ? Effect.succeed(null)
          : recordings.put(permit.organizationId, Stream.make(recording)).pipe(
              Effect.map(({ key, sha256, sizeBytes }): RunRecording => ({
                ...{ blobKey: key, sha256, sizeBytes, durationSeconds },
                contentType: "audio/wav",
                channels: 2
              })),
              Effect.retry(STORING),
              Effect.catchAll((error) =>
                Effect.as(Effect.logError("Failed to store the recording of a run", { run: taken.run.id, error }), null)
              )
            )

      const play = (
        permit: Permit<"results:write">,
        taken: LeasedRun
      ): Effect.Effect<Option.Option<RunReport>, StorageError> =>
        Effect.gen(function* () {
          const observer = yield* live.publish(taken.run.id)
          const agent = yield* agents.find(permit, taken.agent.id).pipe(Effect.catchTag("NotFound", () => Effect.void))
          if (agent === undefined) return Option.some(unplayable("The agent was deleted."))
          const ready = yield* prepared(permit, taken)
          if (Either.isLeft(ready)) return Option.some(unplayable(ready.left))
          const { channel } = taken.run
          const chatEndpoint = agents.openChatEndpoint(agent)
          if (agent.chatEndpoint !== null && Option.isNone(chatEndpoint) && channel === "text") {
            return Option.some(unplayable(keyMissing("chat")))
          }
          const voiceEndpoint = agents.openVoiceEndpoint(agent)
          if (agent.voiceEndpoint !== null && Option.isNone(voiceEndpoint) && channel !== "text") {
            return Option.some(unplayable(keyMissing("voice")))
          }
          const toPlay: RunToPlay = {
            run: taken.run.id,
            channel,
            agent,
            chatEndpoint: Option.getOrNull(chatEndpoint),
            voiceEndpoint: Option.getOrNull(voiceEndpoint),
            scenario: ready.right.scenario,
            observer
          }
          return yield* Effect.raceFirst(
            executor.play(toPlay).pipe(
              Effect.flatMap((played) =>
                Effect.map(storedRecording(permit, taken, played), (recording) => reportOf(played, recording))
              ),
              // The executor may be the host's own; a defect would recur at a retry.
              Effect.catchAllDefect((defect) =>
                Effect.as(
                  Effect.logError("Failed to execute a run", { run: taken.run.id, defect }),
                  unplayable(`The run could not be executed (${defect instanceof Error ? defect.name : "defect"}).`)
                )
              ),
              Effect.asSome
            ),
            Effect.as(watched(permit, taken), Option.none())
          )
        }).pipe(Effect.scoped)

      const execute = (claim: Claim) =>
        Effect.gen(function* () {
          const payload = yield* Effect.mapError(decodePayload(claim.payload), () => unreadable)
          const permit = yield* hostPermit(claim.organizationId, "runs.claim")
          const taken = yield* runs.claim(permit, payload.run, claim)
          if (taken === null) return
          if (taken === "elsewhere") {
            return yield* new JobFailed({ reason: "Another worker has the run.", retry: true, retryAfter: 60_000 })
          }
          const reported = yield* play(permit, taken).pipe(
            // The process shuts down: others can claim the run at once.
            Effect.onInterrupt(() => Effect.ignore(runs.release(permit, taken)))
          )
          // A finished conversation is not repeated because the database was busy at its end.
          const kept =
            Option.isSome(reported) && (yield* Effect.retry(runs.report(permit, taken, reported.value), REPORTING))
          if (kept) return yield* runs.notifyWorkers
          const unused = Option.flatMapNullable(reported, ({ recording }) => recording)
          if (Option.isSome(unused)) yield* recordings.release([unused.value.blobKey])
          // The run was deleted or canceled; or its lease expired, and then it is started again.
          yield* Effect.flatMap(runs.isQueued(permit, payload.run), (queued) =>
            queued ? new JobFailed({ reason: "The run's lease expired.", retry: true }) : Effect.void
          )
        })

      const subjectOf = (
        run: PlayableRun & { readonly endedReason: string | null },
        scenario: Scenario,
        description: string
      ): EvaluatedSubject => ({
        name: `run ${run.run.id}`,
        transcript: run.transcript ?? { _tag: "RedactedTranscript", turns: [], toolCalls: [] },
        durationSeconds: run.run.duration,
        startedAt: DateTime.toEpochMillis(run.run.startedAt ?? run.run.createdAt),
        endedReason: run.endedReason,
        metadata: { scenario_key: run.run.scenarioKey, scenario_name: run.run.scenarioName, run: run.run.id },
        dynamicVariables: scenario.variables,
        agentDescription: fillPlaceholders(description, scenario.variables),
        expectedOutcome: scenario.expectedOutcome.trim() === "" ? null : scenario.expectedOutcome
      })

      const score = (claim: Claim) =>
        Effect.gen(function* () {
          const payload = yield* Effect.mapError(decodePayload(claim.payload), () => unreadable)
          const permit = yield* hostPermit(claim.organizationId, "runs.claim")
          const found = yield* runs.findForScoring(permit, payload.run)
          // The run was deleted, canceled or scored.
          if (Option.isNone(found)) return
          const run = found.value
          const all = yield* metrics.ofAgent(permit, run.agent.id)
          const decides = new Set(all.filter((metric) => decidesSuccess(metric.configuration)).map(({ id }) => id))
          const conclude = runs.complete(permit, payload.run, ({ metricId }) => decides.has(metricId))
          const ready = yield* prepared(permit, run)
          if (Either.isLeft(ready)) return yield* conclude
          const { scenario, script } = ready.right
          const done = new Set(run.scores.filter(({ status }) => status !== "failed").map(({ metricId }) => metricId))
          const requested = new Set(script.metric_ids)
          const isChosen = (metric: Metric): boolean =>
            requested.has(metric.id) ||
            (metric.predefinedCode === OUTCOME_CODE && scenario.expectedOutcome.trim() !== "")
          const chosen = all.filter((metric) => isChosen(metric) && !done.has(metric.id))
          // Only what the scenario names is charged, as in the suite's price: its expected outcome is part of the run's.
          const charge = (evaluated: ReadonlyArray<Evaluated>) => {
            const charged = evaluated.filter(({ metric }) => requested.has(metric.id))
            return Effect.flatMap(DateTime.now, (now) =>
              ledger.charge(permit, chargesOf({ run: run.run.id }, charged), now)
            )
          }
          const agent = yield* Effect.option(agents.find(permit, run.agent.id))
          const description = Option.match(agent, { onNone: () => "", onSome: (one) => one.description })
          const unevaluated = yield* evaluateAttempt(scorer, claim, run.scores, {
            subject: subjectOf(run, scenario, description),
            metrics: chosen,
            emit: (evaluated) => runs.saveScores(permit, payload.run, evaluated, charge(evaluated))
          })
          const failure = waitingFailure(unevaluated, chosen.length)
          if (failure !== undefined) return yield* failure
          yield* conclude
        })

      return Simulations.of({
        handlers: [
          {
            kind: EXECUTE_JOB,
            concurrency: config.concurrency ?? 8,
            hasCapacity: executor.hasCapacity ?? Effect.succeed(true),
            run: execute
          },
          { kind: SCORE_JOB, concurrency: config.scoringConcurrency ?? 4, run: score }
        ]
      })
    })
  )
