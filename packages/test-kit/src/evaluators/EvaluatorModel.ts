/**
 * A reference model of evaluators in folders, and random walks through it: whatever is created, moved, attached,
 * detached, appended and deleted, a door to the engine shows what the model says, and refuses what it refuses.
 */
import * as fc from "fast-check"
import { assertHolds, asyncProperty, parameters, replay } from "../Law.js"

/** What a door answers: whether it was done, the id of what was made, or the fields that were at fault. */
export interface DoorAnswer {
  readonly id: number | null
  /** Empty where it was done. */
  readonly faults: ReadonlyArray<string>
}

/** An evaluator as far as the model knows it, in the wire's names. */
export interface SeenEvaluator {
  readonly id: number
  readonly instructions: string
  readonly metrics: ReadonlyArray<number>
  readonly tool_ids: ReadonlyArray<number>
  readonly folder_path: string
  readonly first_message: string
  readonly max_duration: number | null
}

/** A way to the engine: in process, over HTTP. */
export interface EvaluatorDoor {
  readonly create: (input: object) => Promise<DoorAnswer>
  readonly patch: (id: number, input: object) => Promise<DoorAnswer>
  readonly remove: (id: number) => Promise<DoorAnswer>
  readonly bulkUpdate: (input: object) => Promise<DoorAnswer>
  readonly createFolder: (input: object) => Promise<DoorAnswer>
  readonly moveFolder: (id: number, input: object) => Promise<DoorAnswer>
  readonly removeFolder: (id: number) => Promise<DoorAnswer>
  /** Every evaluator of the project, in any order. */
  readonly all: () => Promise<ReadonlyArray<SeenEvaluator>>
  /** The paths of the project's folders, in any order. */
  readonly folders: () => Promise<ReadonlyArray<string>>
}

/** A door and an empty project behind it. */
export interface EvaluatorWorld {
  readonly door: EvaluatorDoor
  readonly project: number
  readonly agent: number
  readonly metrics: ReadonlyArray<number>
  readonly tools: ReadonlyArray<number>
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

class Model {
  readonly evaluators = new Map<number, Held>()
  /** Folders' ids by path. */
  readonly folders = new Map<string, number>()
  /** The one at a position of what is there, so that commands made beforehand meet what exists by then. */
  at(position: number): Held | undefined {
    const all = [...this.evaluators.values()]
    return all[position % Math.max(1, all.length)]
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

type Command = fc.AsyncCommand<Model, EvaluatorWorld>

/** A step of a walk: what is asked, which fields the model refuses, and what the model makes of it. */
const command = (
  name: string,
  step: (
    model: Model,
    world: EvaluatorWorld
  ) =>
    | {
        readonly ask: Promise<DoorAnswer>
        readonly refused: ReadonlyArray<string>
        readonly then: (id: number) => void
      }
    | undefined
): Command => ({
  check: () => true,
  toString: () => name,
  run: async (model, world) => {
    const asked = step(model, world)
    if (asked === undefined) return
    const answer = await asked.ask
    same([...answer.faults].sort(), [...asked.refused].sort(), `${name} was refused in`)
    if (asked.refused.length === 0) asked.then(answer.id ?? 0)
    const seen = (await world.door.all()).map((one) => [
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
    same([...(await world.door.folders())].sort(), [...model.folders.keys()].sort(), `after ${name} the folders are`)
  }
})

const PATHS = ["", "a", "b", "a.b", "a.b.c", "b.ä", "a_b", "no.such", "a..b"]
const path = fc.constantFrom(...PATHS)
const optionally = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: undefined, freq: 2 })
const some = fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 3 })

const creating = fc.tuple(fc.boolean(), path).map(([structured, folder]) =>
  command(`create ${structured ? "structured" : "plain"} in ${folder}`, (model, { agent, door }) => ({
    ask: door.create({
      agent,
      name: "a'; drop table evaluators; --",
      scenario_type: structured ? "conditional_actions" : "instruction",
      ...(structured ? { conditional_actions: ACTIONS } : { instructions: "Hi" }),
      folder_path: folder
    }),
    refused: isThere(model, folder) ? [] : ["folder_path"],
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
  }))
)

const patching = fc.tuple(fc.nat(), optionally(path), optionally(some)).map(([which, folder, metrics]) =>
  command(`patch ${which} to ${folder} with ${JSON.stringify(metrics)}`, (model, world) => {
    const held = model.at(which)
    if (held === undefined) return undefined
    const ids = metrics?.map((at) => world.metrics[at] ?? 0)
    return {
      ask: world.door.patch(held.id, {
        ...(folder === undefined ? {} : { folder_path: folder }),
        ...(ids === undefined ? {} : { metrics: ids })
      }),
      refused: folder === undefined || isThere(model, folder) ? [] : ["folder_path"],
      then: () => {
        held.folder = folder ?? held.folder
        held.metrics = new Set(ids ?? held.metrics)
      }
    }
  })
)

const removing = fc.nat().map((which) =>
  command(`remove ${which}`, (model, { door }) => {
    const held = model.at(which)
    return held === undefined
      ? undefined
      : { ask: door.remove(held.id), refused: [], then: () => model.evaluators.delete(held.id) }
  })
)

const bulk = fc
  .record({
    which: fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 4 }),
    stranger: fc.nat({ max: 9 }).map((chance) => chance === 0),
    addMetrics: some,
    removeMetrics: some,
    addTools: some,
    removeTools: some,
    append: optionally(fc.constantFrom("!", " ÄΣ", "")),
    folder: optionally(path),
    firstMessage: optionally(fc.constantFrom("", "Hello")),
    maxDuration: optionally(fc.constantFrom(-1, 0, 30, 60)),
    asAgent: fc.boolean()
  })
  .map((change) =>
    command(`bulk update ${JSON.stringify(change)}`, (model, { agent, door, metrics, project, tools }) => {
      const all = [...model.evaluators.values()]
      const held = change.which.flatMap((at) => all[at] ?? [])
      const scenarios = [...held.map(({ id }) => id), ...(change.stranger ? [999_999_999] : [])]
      const idsOf = (ids: ReadonlyArray<number>, which: ReadonlyArray<number>) => which.map((at) => ids[at] ?? 0)
      const [addMetrics, removeMetrics] = [idsOf(metrics, change.addMetrics), idsOf(metrics, change.removeMetrics)]
      const [addTools, removeTools] = [idsOf(tools, change.addTools), idsOf(tools, change.removeTools)]
      const overlap = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) => one.some((id) => other.includes(id))
      const { append, firstMessage, folder, maxDuration } = change
      return {
        ask: door.bulkUpdate({
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
        refused: [
          ...(scenarios.length === 0 || change.stranger ? ["scenarios"] : []),
          ...(overlap(addMetrics, removeMetrics) ? ["metric_ids_to_remove"] : []),
          ...(overlap(addTools, removeTools) ? ["tool_ids_to_remove"] : []),
          ...(append !== undefined && append !== "" && held.some(({ structured }) => structured)
            ? ["append_instruction"]
            : []),
          ...(folder === undefined || isThere(model, folder) ? [] : ["folder_path"]),
          ...(maxDuration !== undefined && maxDuration < 1 ? ["max_duration"] : [])
        ],
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
  )

const isMalformed = (wanted: string) => wanted.split(".").some((level) => level === "")

const makingFolder = path.map((wanted) =>
  command(`make folder ${wanted}`, (model, { door, project }) => ({
    ask: door.createFolder({ project, path: wanted }),
    refused: isMalformed(wanted) || model.folders.has(wanted) || !isThere(model, parentOf(wanted)) ? ["path"] : [],
    then: (id) => model.folders.set(wanted, id)
  }))
)

const movingFolder = fc.tuple(path, path).map(([from, to]) =>
  command(`move folder ${from} to ${to}`, (model, { door }) => {
    const id = model.folders.get(from)
    if (id === undefined) return undefined
    const refused =
      from !== to && (isMalformed(to) || model.folders.has(to) || liesIn(to, from) || !isThere(model, parentOf(to)))
    const moved = (old: string) => (liesIn(old, from) ? to + old.slice(from.length) : old)
    return {
      ask: door.moveFolder(id, { path: to }),
      refused: refused ? ["path"] : [],
      then: () => {
        const entries = [...model.folders].map(([old, one]) => [moved(old), one] as const)
        model.folders.clear()
        for (const [now, one] of entries) model.folders.set(now, one)
        for (const one of model.evaluators.values()) one.folder = moved(one.folder)
      }
    }
  })
)

const removingFolder = path.map((gone) =>
  command(`remove folder ${gone}`, (model, { door }) => {
    const id = model.folders.get(gone)
    return id === undefined
      ? undefined
      : {
          ask: door.removeFolder(id),
          refused: [],
          then: () => {
            for (const old of [...model.folders.keys()]) if (liesIn(old, gone)) model.folders.delete(old)
            for (const one of model.evaluators.values()) if (liesIn(one.folder, gone)) one.folder = parentOf(gone)
          }
        }
  })
)

/** Walks through the model; two commands of the kind that the issue is about for each of the others. */
const walks = (steps: number) =>
  fc.commands(
    [
      creating,
      creating,
      bulk,
      bulk,
      bulk,
      patching,
      removing,
      makingFolder,
      makingFolder,
      movingFolder,
      removingFolder
    ],
    { maxCommands: steps, size: "max", ...replay() }
  )

/** Fails when a door differs from the model on some walk; every walk begins in a world of its own. */
export const checkEvaluatorModel = (
  world: () => Promise<EvaluatorWorld>,
  options: { readonly walks: number; readonly steps: number }
): Promise<void> =>
  fc
    .check(
      asyncProperty([walks(options.steps)], async (commands) => {
        const real = await world()
        await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
      }),
      parameters(options.walks)
    )
    .then((details) => assertHolds("evaluators and folders are as the model says", details))
