/**
 * A named-entity provider that runs a token classification model in ONNX, offline and in threads: the files that Hugging Face's
 * exporters write for models such as BERT, DistilBERT, RoBERTa and DeBERTa.
 */
import { NerFailed, NerProvider, type SensitiveField, type TurnSpan } from "@earshot/redaction"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { askThread, makeThreadPool, type UseThread } from "../kernel/Threads.js"
import { fieldOfLabel } from "./NerLabels.js"
import { THREAD_PROGRAM } from "./OnnxNerThread.js"

export interface OnnxNerConfig {
  /** The folder with `config.json`, `tokenizer.json` and the weights: `model.onnx`, also in a folder `onnx`. */
  readonly folder: string
  /** Fields by the model's entity names, such as `{"FIRSTNAME": "person_name"}`, beside those that are known. */
  readonly labels?: Readonly<Record<string, SensitiveField>>
  /** For one call with all its turns. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
  /** Calls at a time, each in a thread of its own with the model in its memory. Default: 1. */
  readonly concurrency?: number
}

/** The model cannot be used: a file or a package is missing, or does not fit. */
export class OnnxNerUnavailable extends Schema.TaggedError<OnnxNerUnavailable>()("OnnxNerUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

const unavailable = (reason: string): OnnxNerUnavailable => new OnnxNerUnavailable({ reason })

/** Where exporters put the weights, the smaller ones first. */
const WEIGHTS = ["model_quantized.onnx", "model.onnx"].flatMap((name) => [name, join("onnx", name)])

const RUNTIME = "onnxruntime-node"
const TOKENIZERS = "@huggingface/tokenizers"

/** The most tokens of a window, whatever the model could read: attention grows with their square. */
const MAX_TOKENS = 512

/** How long loading a model may take. */
const LOADING = Duration.minutes(2)

const ModelConfig = Schema.parseJson(
  Schema.Struct({
    id2label: Schema.Record({ key: Schema.String, value: Schema.String }),
    max_position_embeddings: Schema.optional(Schema.Int)
  })
)

/** What a class of the model means; the field is undefined for what is not redacted. */
interface NerClass {
  readonly name: string
  readonly field: SensitiveField | undefined
  /** Whether it begins a value, so that it is not joined to the one before. */
  readonly begins: boolean
}

const classOf = (label: string, labels: Readonly<Record<string, SensitiveField>>): NerClass => {
  const [, prefix, name = label] = /^([BILUES])[-_](.+)$/.exec(label) ?? []
  return { name, field: labels[name] ?? fieldOfLabel(name), begins: prefix === "B" || prefix === "U" || prefix === "S" }
}

/** A word or a sign of a text. */
interface Word {
  readonly text: string
  readonly start: number
  /** Whether it stands after white space or at the beginning. */
  readonly isApart: boolean
}

const WORD = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu

const wordsOf = (content: string): ReadonlyArray<Word> =>
  Array.from(content.matchAll(WORD), ({ 0: text, index }) => ({
    text,
    start: index,
    isApart: index === 0 || /\s/.test(content.charAt(index - 1))
  }))

/** The class of each word, and how likely it is. */
const Answer = Schema.Struct({
  turns: Schema.Array(Schema.Array(Schema.Tuple(Schema.Int, Schema.Number)))
})
const decodeAnswer = Schema.decodeUnknown(Answer)

/** The spans of a turn: words of one entity in a row are one value, as likely as they are on average. */
export const spansOf = (
  turn: number,
  words: ReadonlyArray<Word>,
  found: ReadonlyArray<readonly [label: number, score: number]>,
  classes: ReadonlyArray<NerClass>
): ReadonlyArray<TurnSpan> => {
  const runs: Array<{ readonly kind: NerClass; readonly words: Array<Word>; readonly scores: Array<number> }> = []
  let isOpen = false
  words.forEach((word, at) => {
    const [label = -1, score = 0] = found[at] ?? []
    const kind = classes[label]
    const last = isOpen ? runs.at(-1) : undefined
    isOpen = kind?.field !== undefined
    if (kind === undefined || !isOpen) return
    if (last?.kind.name === kind.name && !kind.begins) {
      last.words.push(word)
      last.scores.push(score)
    } else runs.push({ kind, words: [word], scores: [score] })
  })
  return runs.flatMap(({ kind: { field, name }, scores, words: inRun }) => {
    const first = inRun[0]
    const last = inRun.at(-1)
    if (first === undefined || last === undefined || field === undefined) return []
    const score = scores.reduce((sum, one) => sum + one, 0) / scores.length
    return [{ turn, start: first.start, end: last.start + last.text.length, field, score, evidence: [`model ${name}`] }]
  })
}

const readText = (file: string): Effect.Effect<string, OnnxNerUnavailable> =>
  Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: () => unavailable(`${file} cannot be read.`) })

const resolve = (name: string): Effect.Effect<string, OnnxNerUnavailable> =>
  Effect.try({
    try: () => createRequire(import.meta.url).resolve(name),
    catch: () => unavailable(`Install ${RUNTIME} and ${TOKENIZERS} to use a model in ONNX.`)
  })

const classesOf = ({ folder, labels = {} }: OnnxNerConfig) =>
  Effect.gen(function* () {
    const file = join(folder, "config.json")
    const config = yield* Effect.mapError(Effect.flatMap(readText(file), Schema.decode(ModelConfig)), (error) =>
      error._tag === "OnnxNerUnavailable" ? error : unavailable(`${file} has no id2label with names of entities.`)
    )
    const size = Object.keys(config.id2label).length
    const classes = Array.from({ length: size }, (_, id) => classOf(config.id2label[id] ?? "O", labels))
    if (!classes.some(({ field }) => field !== undefined)) {
      return yield* unavailable(`${file}: none of the model's entities is known. Set labels.`)
    }
    return { classes, maxTokens: Math.min(config.max_position_embeddings ?? MAX_TOKENS, MAX_TOKENS) }
  })

const classify = (useThread: UseThread, turns: ReadonlyArray<ReadonlyArray<Word>>, timeout: Duration.Duration) =>
  useThread((worker) =>
    askThread(worker, { turns: turns.map((words) => words.map(({ isApart, text }) => [text, isApart])) }).pipe(
      // A real time limit, whatever clock the caller has.
      Effect.timeout(timeout),
      Effect.withClock(Clock.make())
    )
  ).pipe(
    Effect.mapError((error) => (typeof error === "string" ? error : "The model took too long.")),
    Effect.flatMap((answer) =>
      Effect.mapError(decodeAnswer(answer), () =>
        typeof answer === "object" && answer !== null && "reason" in answer ? String(answer.reason) : "No answer."
      )
    )
  )

/** The provider, after the model was loaded and has classified one word. */
export const make = (config: OnnxNerConfig): Effect.Effect<NerProvider["Type"], OnnxNerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { folder } = config
    const runtime = yield* resolve(RUNTIME)
    const tokenizers = yield* resolve(TOKENIZERS)
    const { classes, maxTokens } = yield* classesOf(config)
    const weights = WEIGHTS.map((name) => join(folder, name)).find(existsSync)
    if (weights === undefined) return yield* unavailable(`${folder} has no model.onnx.`)
    const tokenizer = join(folder, "tokenizer.json")
    if (!existsSync(tokenizer)) return yield* unavailable(`${tokenizer} cannot be read.`)
    const timeout = Duration.decode(config.timeout ?? "30 seconds")
    const useThread = yield* makeThreadPool(
      {
        program: THREAD_PROGRAM,
        workerData: { runtime, tokenizers, weights, tokenizer, maxTokens, classes: classes.length },
        resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 }
      },
      config.concurrency ?? 1
    )
    yield* Effect.mapError(classify(useThread, [wordsOf("Hello")], LOADING), (reason) =>
      unavailable(`The model ${weights} cannot be used. ${reason}`)
    )
    return NerProvider.of({
      recognize: (turns, fields) =>
        Effect.gen(function* () {
          const words = turns.map(wordsOf)
          const { turns: found } = yield* classify(useThread, words, timeout)
          return words
            .flatMap((one, turn) => spansOf(turn, one, found[turn] ?? [], classes))
            .filter(({ field }) => fields.includes(field))
        }).pipe(Effect.mapError((cause) => new NerFailed({ cause })))
    })
  })

export const layer = (config: OnnxNerConfig): Layer.Layer<NerProvider, OnnxNerUnavailable> =>
  Layer.scoped(NerProvider, make(config))
