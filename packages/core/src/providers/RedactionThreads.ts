/** Redacts what is long in threads, with the program that `@earshot/redaction` publishes for it. */
import {
  redactInSteps,
  redactJsonInSteps,
  RedactionQuestions,
  type RedactOptions,
  type SensitiveField
} from "@earshot/redaction"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { pathToFileURL } from "node:url"
import { RedactionUnavailable } from "../calls/CallErrors.js"
import { RedactionWork } from "../calls/RedactionWork.js"
import type { Json } from "../kernel/Json.js"
import { findThreadProgram, MODULE_THREAD } from "../kernel/ThreadPrograms.js"
import { askThread, makeThreadPool } from "../kernel/Threads.js"
import type { RawTranscript } from "../transcripts/Transcript.js"

export interface RedactionThreadsConfig {
  /** How long the redaction of one transcript or document may take. Default: 5 minutes. */
  readonly timeout?: Duration.DurationInput
  /** Transcripts and documents that are redacted at a time, each in a thread of its own. Default: 2. */
  readonly concurrency?: number
  /** Characters above which something is redacted in a thread. Default: 16,384. */
  readonly longerThan?: number
  /** The program of a thread, an absolute path; null for none. Default: that of `@earshot/redaction`, where it is found. */
  readonly program?: string | null
}

/**
 * A step of a transcript of this length takes about 4 ms, and most calls are shorter. With two million characters a step
 * takes half a second, and all of them more than ten.
 */
const LONGER_THAN = 16_384

/** Memory of a thread: a transcript is read as a whole, which needs about 200 bytes a character, and a body may have 10 MB. */
const LIMITS = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 64 }

/** Where no program is found, as in a bundle of the host's: in steps between which the event loop runs. */
const onThisThread = RedactionWork.of({ transcript: redactInSteps, json: redactJsonInSteps })

const lengthOf = ({ toolCalls, turns }: RawTranscript): number =>
  turns.reduce((sum, { content }) => sum + content.length, 0) +
  toolCalls.reduce((sum, tool) => sum + tool.arguments.length + (tool.result?.length ?? 0), 0)

export const layer = (config: RedactionThreadsConfig = {}): Layer.Layer<RedactionWork> =>
  Layer.scoped(
    RedactionWork,
    Effect.gen(function* () {
      const program =
        config.program === undefined
          ? findThreadProgram("@earshot/redaction/redaction-thread", "redaction/dist/thread/thread.js")
          : config.program
      if (program === undefined || program === null) return onThisThread
      const longerThan = config.longerThan ?? LONGER_THAN
      const timeout = Duration.decode(config.timeout ?? "5 minutes")
      const useThread = yield* makeThreadPool(
        {
          program: MODULE_THREAD,
          workerData: { program: pathToFileURL(program).href },
          resourceLimits: LIMITS
        },
        config.concurrency ?? 2
      )

      const ask = <A, I>(
        answer: Schema.Schema<A, I>,
        question: RedactionQuestions.RedactionQuestion
      ): Effect.Effect<A, RedactionUnavailable> =>
        useThread((worker) =>
          askThread(worker, question).pipe(
            Effect.timeoutFail({
              duration: timeout,
              onTimeout: () => `It took longer than ${Duration.format(timeout)}.`
            }),
            // The time that passes, whatever clock the caller has.
            Effect.withClock(Clock.make())
          )
        ).pipe(
          Effect.flatMap((given) =>
            Effect.mapError(Schema.decodeUnknown(answer)(given), () => "The thread's answer cannot be read.")
          ),
          Effect.tapError((reason) => Effect.logWarning("A call cannot be redacted", { reason })),
          Effect.mapError(() => new RedactionUnavailable())
        )

      const transcript = (raw: RawTranscript, fields: ReadonlyArray<SensitiveField>, options: RedactOptions) =>
        fields.length === 0 || lengthOf(raw) <= longerThan
          ? redactInSteps(raw, fields, options)
          : Effect.map(
              ask(
                RedactionQuestions.RedactionAnswer.transcript,
                RedactionQuestions.transcriptQuestion(raw, fields, options)
              ),
              (columns) => RedactionQuestions.redactionOf(raw, columns)
            )

      const json = (
        value: Json,
        fields: ReadonlyArray<SensitiveField>,
        options: RedactOptions
      ): Effect.Effect<Json, RedactionUnavailable> =>
        Effect.suspend(() => {
          if (fields.length === 0) return Effect.succeed(value)
          const text = JSON.stringify(value)
          return text.length <= longerThan
            ? redactJsonInSteps(value, fields, options)
            : Effect.map(
                ask(RedactionQuestions.RedactionAnswer.json, RedactionQuestions.jsonQuestion(text, fields, options)),
                RedactionQuestions.parseJson
              )
        })

      return RedactionWork.of({ transcript, json })
    })
  )
