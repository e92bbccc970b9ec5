import * as fc from "fast-check"
import { asyncCommand, elementAt, rarely } from "../models/CommandSequences.js"
import type { CoverageCounter } from "../models/Coverage.js"

/** The response of a driver: the id of the created resource, or the invalid fields. */
export interface EvaluatorResponse {
  readonly id: number | null
  /** Empty on success. */
  readonly errors: ReadonlyArray<string>
}

/** The compared fields of an evaluator, in wire form. */
export interface SeenEvaluator {
  readonly id: number
  readonly instructions: string
  readonly metrics: ReadonlyArray<number>
  readonly tool_ids: ReadonlyArray<number>
  readonly folder_path: string
  readonly first_message: string
  readonly max_duration: number | null
  readonly personality: number | null
}

/** The response to a bulk update. */
export interface BulkAnswer extends EvaluatorResponse {
  /** The first evaluator, or with `many` all of them in the order of the request. */
  readonly evaluators: ReadonlyArray<SeenEvaluator>
}

/** A driver of the engine, in process or over HTTP. */
export interface EvaluatorDriver {
  readonly create: (input: object) => Promise<EvaluatorResponse>
  readonly patch: (id: number, input: object) => Promise<EvaluatorResponse>
  readonly remove: (id: number) => Promise<EvaluatorResponse>
  readonly bulkUpdate: (input: object, many?: boolean) => Promise<BulkAnswer>
  readonly createFolder: (input: object) => Promise<EvaluatorResponse>
  readonly moveFolder: (id: number, input: object) => Promise<EvaluatorResponse>
  readonly removeFolder: (id: number) => Promise<EvaluatorResponse>
  /** Every evaluator of the project, in any order. */
  readonly all: () => Promise<ReadonlyArray<SeenEvaluator>>
  /** The paths of the project's folders, in any order. */
  readonly folders: () => Promise<ReadonlyArray<string>>
}

/** A driver of an empty project. */
export interface EvaluatorFixture {
  readonly driver: EvaluatorDriver
  readonly project: number
  readonly agent: number
  readonly metrics: ReadonlyArray<number>
  readonly tools: ReadonlyArray<number>
  /** The personalities enabled for the project. */
  readonly personalities: ReadonlyArray<number>
}

interface Held {
  readonly id: number
  readonly structured: boolean
  instructions: string
  metrics: ReadonlySet<number>
  tools: ReadonlySet<number>
  folder: string
  firstMessage: string
  maxDuration: number | null
}

/** Events that the command sequences have to cover. */
export const kinds = [
  "evaluator created",
  "evaluator created in a folder",
  "creation refused",
  "evaluator patched",
  "evaluator moved by a patch",
  "metrics of an evaluator replaced",
  "patch refused",
  "evaluator removed",
  "bulk update done",
  "bulk update of several",
  "metrics attached by bulk update",
  "metrics detached by bulk update",
  "tools attached by bulk update",
  "tools detached by bulk update",
  "instructions appended by bulk update",
  "evaluators moved by bulk update",
  "first messages replaced by bulk update",
  "durations replaced by bulk update",
  "bulk update without evaluators rejected",
  "bulk update of an unknown evaluator rejected",
  "bulk update that adds and removes the same rejected",
  "bulk append to conditional actions rejected",
  "bulk update into an unknown folder rejected",
  "bulk update with an invalid duration rejected",
  "folder created",
  "folder rejected",
  "folder moved with evaluators in it",
  "move of a folder rejected",
  "folder deleted with evaluators in it"
] as const

export type Kind = (typeof kinds)[number]

export class Model {
  constructor(public coverage: CoverageCounter<Kind>) {}
  readonly evaluators = new Map<number, Held>()
  /** Folders' ids by path. */
  readonly folders = new Map<string, number>()
  /** The evaluator at a position modulo their number. */
  at(position: number): Held | undefined {
    return elementAt(this.evaluators.values(), position)
  }
  /** An existing path or the root by position, or the given path. */
  path(place: Place): string {
    return typeof place === "string" ? place : (elementAt(["", ...this.folders.keys()], place) ?? "")
  }
}

export const ACTIONS = {
  role: "x",
  conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi", type: "standard", fixed_message: false }]
}

export const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf(".")))

export const liesIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}.`)

export const isThere = (model: Model, path: string) => path === "" || model.folders.has(path)

const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b)

const same = (one: unknown, other: unknown, what: string) => {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`)
}

export type Command = fc.AsyncCommand<Model, EvaluatorFixture>

/** A command: the request, the fields that the model rejects, and the effect on the model. */
export const command = (
  name: string,
  step: (
    model: Model,
    fixture: EvaluatorFixture
  ) =>
    | {
        readonly ask: Promise<EvaluatorResponse>
        readonly rejected: ReadonlyArray<string>
        /** The events on success and on rejection. */
        readonly kinds: readonly [done: ReadonlyArray<Kind>, rejected: ReadonlyArray<Kind>]
        readonly then: (id: number) => void
      }
    | undefined
): Command =>
  asyncCommand(name, async (model, fixture) => {
    const asked = step(model, fixture)
    if (asked === undefined) return
    const answer = await asked.ask
    same([...answer.errors].sort(), [...asked.rejected].sort(), `${name} was refused in`)
    model.coverage.count(...asked.kinds[asked.rejected.length === 0 ? 0 : 1])
    if (asked.rejected.length === 0) asked.then(answer.id ?? 0)
    const seen = (await fixture.driver.all()).map((one) => [
      one.id,
      one.instructions,
      sorted(one.metrics),
      sorted(one.tool_ids),
      one.folder_path,
      one.first_message,
      one.max_duration
    ])
    const expected = [...model.evaluators.values()].map((one) => [
      one.id,
      one.instructions,
      sorted(one.metrics),
      sorted(one.tools),
      one.folder,
      one.firstMessage,
      one.maxDuration
    ])
    const byId = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) => Number(a[0]) - Number(b[0])
    same(seen.sort(byId), expected.sort(byId), `after ${name} the evaluators are`)
    same(
      [...(await fixture.driver.folders())].sort(),
      [...model.folders.keys()].sort(),
      `after ${name} the folders are`
    )
  })

/** A folder by its path, or by position among the existing ones. */
export type Place = string | number

const ANY = ["", "a", "b", "a.b", "a.b.c", "b.ä", "a_b", "no.such", "a..b"]

export const anyPath = fc.constantFrom(...ANY)

export const place: fc.Arbitrary<Place> = fc.oneof(
  { weight: 4, arbitrary: fc.nat() },
  { weight: 1, arbitrary: anyPath }
)

export const optionally = <A>(of: fc.Arbitrary<A>) => rarely(2, of)

export const some = fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 3, size: "max" })
