/**
 * A reference model of evaluators and folders, and command sequences over it: after creations, moves, attachments, appends
 * and deletions, the engine returns and rejects the same as the model.
 */
import * as fc from "fast-check"
import {
  asyncCommand,
  checkCommandSequences,
  elementAt,
  type ModelOptions,
  rarely
} from "../models/CommandSequences.js"
import type { Coverage, CoverageCounter } from "../models/Coverage.js"

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
const kinds = [
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
type Kind = (typeof kinds)[number]

class Model {
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

const ACTIONS = {
  role: "x",
  conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi", type: "standard", fixed_message: false }]
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf(".")))
const liesIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}.`)
const isThere = (model: Model, path: string) => path === "" || model.folders.has(path)
const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b)
const same = (one: unknown, other: unknown, what: string) => {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`)
}

type Command = fc.AsyncCommand<Model, EvaluatorFixture>

/** A command: the request, the fields that the model rejects, and the effect on the model. */
const command = (
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
type Place = string | number

const ANY = ["", "a", "b", "a.b", "a.b.c", "b.ä", "a_b", "no.such", "a..b"]
const anyPath = fc.constantFrom(...ANY)
const place: fc.Arbitrary<Place> = fc.oneof({ weight: 4, arbitrary: fc.nat() }, { weight: 1, arbitrary: anyPath })
const optionally = <A>(of: fc.Arbitrary<A>) => rarely(2, of)
const some = fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 3, size: "max" })

const creating = (structured: boolean, where: Place): Command =>
  command(`create ${structured ? "structured" : "plain"} in ${where}`, (model, { agent, driver }) => {
    const folder = model.path(where)
    return {
      ask: driver.create({
        agent,
        name: "a'; drop table evaluators; --",
        scenario_type: structured ? "conditional_actions" : "instruction",
        ...(structured ? { conditional_actions: ACTIONS } : { instructions: "Hi" }),
        folder_path: folder
      }),
      rejected: isThere(model, folder) ? [] : ["folder_path"],
      kinds: [
        ["evaluator created", ...(folder === "" ? [] : ["evaluator created in a folder" as const])],
        ["creation refused"]
      ],
      then: (id) => {
        model.evaluators.set(id, {
          id,
          structured,
          instructions: structured ? JSON.stringify(ACTIONS) : "Hi",
          metrics: new Set(),
          tools: new Set(),
          folder,
          firstMessage: "",
          maxDuration: null
        })
      }
    }
  })

const patching = (which: number, where: Place | undefined, metrics: ReadonlyArray<number> | undefined): Command =>
  command(`patch ${which} to ${where} with ${JSON.stringify(metrics)}`, (model, fixture) => {
    const held = model.at(which)
    if (held === undefined) return undefined
    const folder = where === undefined ? undefined : model.path(where)
    const ids = metrics?.map((at) => fixture.metrics[at] ?? 0)
    return {
      ask: fixture.driver.patch(held.id, {
        ...(folder === undefined ? {} : { folder_path: folder }),
        ...(ids === undefined ? {} : { metrics: ids })
      }),
      rejected: folder === undefined || isThere(model, folder) ? [] : ["folder_path"],
      kinds: [
        [
          "evaluator patched",
          ...(folder === undefined || folder === held.folder ? [] : ["evaluator moved by a patch" as const]),
          ...(ids === undefined ? [] : ["metrics of an evaluator replaced" as const])
        ],
        ["patch refused"]
      ],
      then: () => {
        held.folder = folder ?? held.folder
        held.metrics = new Set(ids ?? held.metrics)
      }
    }
  })

const removing = (which: number): Command =>
  command(`remove ${which}`, (model, { driver }) => {
    const held = model.at(which)
    return held === undefined
      ? undefined
      : {
          ask: driver.remove(held.id),
          rejected: [],
          kinds: [["evaluator removed"], []],
          then: () => model.evaluators.delete(held.id)
        }
  })

interface Bulk {
  readonly which: ReadonlyArray<number>
  readonly stranger: boolean
  readonly addMetrics: ReadonlyArray<number>
  readonly removeMetrics: ReadonlyArray<number>
  readonly addTools: ReadonlyArray<number>
  readonly removeTools: ReadonlyArray<number>
  /** Whether additions and removals may overlap. */
  readonly mayOverlap: boolean
  readonly append: string | undefined
  /** Whether text may be appended to conditional actions, which is rejected. */
  readonly mayAppend: boolean
  readonly folder: Place | undefined
  readonly firstMessage: string | undefined
  readonly maxDuration: number | undefined
  readonly asAgent: boolean
}

/** Each error occurs in one of eight cases, so that many requests have none. */
const anyBulk: fc.Arbitrary<Bulk> = fc.record({
  which: fc.oneof(
    { weight: 12, arbitrary: fc.array(fc.nat(), { minLength: 1, maxLength: 3, size: "max" }) },
    { weight: 1, arbitrary: fc.constant([]) }
  ),
  stranger: fc.nat({ max: 11 }).map((chance) => chance === 0),
  addMetrics: some,
  removeMetrics: some,
  addTools: some,
  removeTools: some,
  mayOverlap: fc.nat({ max: 7 }).map((chance) => chance === 0),
  append: optionally(fc.constantFrom("!", " ÄΣ", "")),
  mayAppend: fc.nat({ max: 3 }).map((chance) => chance === 0),
  folder: optionally(fc.oneof({ weight: 7, arbitrary: fc.nat() }, { weight: 1, arbitrary: anyPath })),
  firstMessage: optionally(fc.constantFrom("", "Hello")),
  maxDuration: optionally(fc.constantFrom(30, 45, 60, 90, 120, 150, -1, 0)),
  asAgent: fc.boolean()
})

const bulk = (change: Bulk): Command =>
  command(`bulk update ${JSON.stringify(change)}`, (model, { agent, driver, metrics, project, tools }) => {
    const held = [...new Set(change.which.flatMap((at) => model.at(at) ?? []))]
    const scenarios = [...held.map(({ id }) => id), ...(change.stranger ? [999_999_999] : [])]
    const idsOf = (ids: ReadonlyArray<number>, which: ReadonlyArray<number>) => which.map((at) => ids[at] ?? 0)
    const lessThan = (removed: ReadonlyArray<number>, added: ReadonlyArray<number>) =>
      change.mayOverlap ? removed : removed.filter((at) => !added.includes(at))
    const addMetrics = idsOf(metrics, change.addMetrics)
    const removeMetrics = idsOf(metrics, lessThan(change.removeMetrics, change.addMetrics))
    const addTools = idsOf(tools, change.addTools)
    const removeTools = idsOf(tools, lessThan(change.removeTools, change.addTools))
    const overlap = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) => one.some((id) => other.includes(id))
    const { firstMessage, maxDuration } = change
    const isPlain = held.every(({ structured }) => !structured)
    const append = isPlain || change.mayAppend ? change.append : undefined
    const folder = change.folder === undefined ? undefined : model.path(change.folder)
    const errors: ReadonlyArray<readonly [isFaulty: boolean, field: string, kind: Kind]> = [
      [scenarios.length === 0, "scenarios", "bulk update without evaluators rejected"],
      [change.stranger, "scenarios", "bulk update of an unknown evaluator rejected"],
      [
        overlap(addMetrics, removeMetrics),
        "metric_ids_to_remove",
        "bulk update that adds and removes the same rejected"
      ],
      [overlap(addTools, removeTools), "tool_ids_to_remove", "bulk update that adds and removes the same rejected"],
      [
        append !== undefined && append !== "" && !isPlain,
        "append_instruction",
        "bulk append to conditional actions rejected"
      ],
      [folder !== undefined && !isThere(model, folder), "folder_path", "bulk update into an unknown folder rejected"],
      [maxDuration !== undefined && maxDuration < 1, "max_duration", "bulk update with an invalid duration rejected"]
    ]
    const found = errors.filter(([isFaulty]) => isFaulty)
    const effects: ReadonlyArray<readonly [happens: boolean, kind: Kind]> = [
      [true, "bulk update done"],
      [held.length > 1, "bulk update of several"],
      [held.some((one) => addMetrics.some((id) => !one.metrics.has(id))), "metrics attached by bulk update"],
      [held.some((one) => removeMetrics.some((id) => one.metrics.has(id))), "metrics detached by bulk update"],
      [held.some((one) => addTools.some((id) => !one.tools.has(id))), "tools attached by bulk update"],
      [held.some((one) => removeTools.some((id) => one.tools.has(id))), "tools detached by bulk update"],
      [append !== undefined && append !== "", "instructions appended by bulk update"],
      [held.some((one) => folder !== undefined && folder !== one.folder), "evaluators moved by bulk update"],
      [
        held.some((one) => firstMessage !== undefined && firstMessage !== one.firstMessage),
        "first messages replaced by bulk update"
      ],
      [
        held.some((one) => maxDuration !== undefined && maxDuration !== one.maxDuration),
        "durations replaced by bulk update"
      ]
    ]
    return {
      ask: driver.bulkUpdate({
        scenarios,
        ...(change.asAgent ? { agent } : { project }),
        metric_ids_to_add: addMetrics,
        metric_ids_to_remove: removeMetrics,
        tool_ids_to_add: addTools,
        tool_ids_to_remove: removeTools,
        ...(append === undefined ? {} : { append_instruction: append }),
        ...(folder === undefined ? {} : { folder_path: folder }),
        ...(firstMessage === undefined ? {} : { first_message: firstMessage }),
        ...(maxDuration === undefined ? {} : { max_duration: maxDuration })
      }),
      rejected: [...new Set(found.map(([, field]) => field))],
      kinds: [effects.flatMap(([happens, kind]) => (happens ? [kind] : [])), found.map(([, , kind]) => kind)],
      then: () => {
        for (const one of held) {
          one.metrics = new Set([...one.metrics, ...addMetrics].filter((id) => !removeMetrics.includes(id)))
          one.tools = new Set([...one.tools, ...addTools].filter((id) => !removeTools.includes(id)))
          one.instructions += append ?? ""
          one.folder = folder ?? one.folder
          one.firstMessage = firstMessage ?? one.firstMessage
          one.maxDuration = maxDuration ?? one.maxDuration
        }
      }
    }
  })

const isMalformed = (wanted: string) => wanted.split(".").some((level) => level === "")

const makingFolder = (wanted: string): Command =>
  command(`make folder ${wanted}`, (model, { driver, project }) => ({
    ask: driver.createFolder({ project, path: wanted }),
    rejected: isMalformed(wanted) || model.folders.has(wanted) || !isThere(model, parentOf(wanted)) ? ["path"] : [],
    kinds: [["folder created"], ["folder rejected"]],
    then: (id) => model.folders.set(wanted, id)
  }))

const hasEvaluators = (model: Model, folder: string) =>
  [...model.evaluators.values()].some((one) => liesIn(one.folder, folder))

/** To a path, or into an existing folder under another name. */
const movingFolder = (which: number, where: Place): Command =>
  command(`move folder ${which} to ${where}`, (model, { driver }) => {
    const found = elementAt(model.folders, which)
    if (found === undefined) return undefined
    const to =
      typeof where === "string" ? where : [model.path(where), "moved"].filter((level) => level !== "").join(".")
    const [from, id] = found
    const rejected =
      from !== to && (isMalformed(to) || model.folders.has(to) || liesIn(to, from) || !isThere(model, parentOf(to)))
    const moved = (old: string) => (liesIn(old, from) ? to + old.slice(from.length) : old)
    return {
      ask: driver.moveFolder(id, { path: to }),
      rejected: rejected ? ["path"] : [],
      kinds: [
        hasEvaluators(model, from) && from !== to ? ["folder moved with evaluators in it"] : [],
        ["move of a folder rejected"]
      ],
      then: () => {
        const entries = [...model.folders].map(([old, one]) => [moved(old), one] as const)
        model.folders.clear()
        for (const [now, one] of entries) model.folders.set(now, one)
        for (const one of model.evaluators.values()) one.folder = moved(one.folder)
      }
    }
  })

const removingFolder = (which: number): Command =>
  command(`remove folder ${which}`, (model, { driver }) => {
    const found = elementAt(model.folders, which)
    if (found === undefined) return undefined
    const [gone, id] = found
    return {
      ask: driver.removeFolder(id),
      rejected: [],
      kinds: [hasEvaluators(model, gone) ? ["folder deleted with evaluators in it"] : [], []],
      then: () => {
        for (const old of [...model.folders.keys()]) if (liesIn(old, gone)) model.folders.delete(old)
        for (const one of model.evaluators.values()) if (liesIn(one.folder, gone)) one.folder = parentOf(gone)
      }
    }
  })

/** Run before every sequence: folders, evaluators, and a bulk update of every field. */
const setUpCommands: ReadonlyArray<Command> = [
  makingFolder("a"),
  makingFolder("a.b"),
  makingFolder("b"),
  creating(false, ""),
  creating(false, "a"),
  creating(true, "a.b"),
  bulk({
    which: [0, 1],
    stranger: false,
    addMetrics: [0, 1],
    removeMetrics: [],
    addTools: [0, 1],
    removeTools: [],
    mayOverlap: false,
    append: "!",
    mayAppend: false,
    folder: "b",
    firstMessage: "Hello",
    maxDuration: 60,
    asAgent: true
  })
]

const commands: ReadonlyArray<fc.Arbitrary<Command>> = [
  ...Array.from({ length: 2 }, () =>
    fc.tuple(fc.boolean(), place).map(([structured, where]) => creating(structured, where))
  ),
  ...Array.from({ length: 5 }, () => anyBulk.map(bulk)),
  fc
    .tuple(fc.nat(), optionally(place), optionally(some))
    .map(([which, where, metrics]) => patching(which, where, metrics)),
  fc.nat().map(removing),
  ...Array.from({ length: 2 }, () => anyPath.map(makingFolder)),
  fc.tuple(fc.nat(), place).map(([which, to]) => movingFolder(which, to)),
  fc.nat().map(removingFolder)
]

/**
 * Fails when a driver differs from the model after some sequence of commands, each on a fixture of its own. Returns the
 * coverage of all sequences.
 */
export const checkEvaluatorModel = (
  fixture: () => Promise<EvaluatorFixture>,
  options: ModelOptions
): Promise<Coverage> =>
  checkCommandSequences({
    name: "evaluators and folders match the model",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture,
    setUpCommands,
    commands,
    options
  })
