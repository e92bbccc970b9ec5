/**
 * Bulk updates that are asked for at once, while folders are made and removed and an evaluator is deleted: what each is
 * answered, and what is left, is that of some order of them (interface, E4).
 */
import * as fc from "fast-check"
import { assertHolds, yieldingProperty, parameters } from "../Property.js"
import { linearization, type Transition } from "../models/Linearizable.js"
import { type Coverage, CoverageCounter } from "../models/Coverage.js"
import type { EvaluatorResponse, EvaluatorFixture, SeenEvaluator } from "./EvaluatorModel.js"

/** One of the two evaluators that there are in the beginning. */
type Which = 0 | 1

/** What one request asks of evaluators; metrics, tools and personalities are named by their positions. */
interface Update {
  readonly does: "update"
  /** Whether all evaluators are to be answered, and not the first alone. */
  readonly many: boolean
  readonly which: ReadonlyArray<Which>
  readonly append: string | undefined
  readonly firstMessage: string | undefined
  readonly folder: string | undefined
  readonly personality: number | undefined
  readonly addMetrics: ReadonlyArray<number>
  readonly removeMetrics: ReadonlyArray<number>
  readonly addTools: ReadonlyArray<number>
  readonly removeTools: ReadonlyArray<number>
  /** A fault that the request has besides, so that nothing of it may be done. */
  readonly isBroken: boolean
}

/** In the beginning there is the folder `a`, with the first evaluator in it, and no folder `b`. */
type Step =
  | Update
  | { readonly does: "make folder b" }
  | { readonly does: "remove folder a" }
  | { readonly does: "remove the second evaluator" }

/** An evaluator as far as these requests change it. */
interface Held {
  readonly which: number
  readonly instructions: string
  readonly firstMessage: string
  readonly folder: string
  readonly personality: number | null
  readonly metrics: ReadonlyArray<number>
  readonly tools: ReadonlyArray<number>
}

interface State {
  readonly evaluators: ReadonlyArray<Held>
  readonly folders: ReadonlyArray<string>
}

interface Answer {
  /** The fields that were at fault, sorted. */
  readonly faults: ReadonlyArray<string>
  readonly evaluators: ReadonlyArray<Held>
}

const initial: State = {
  evaluators: ["a", ""].map((folder, which) => ({
    which,
    instructions: "Hi",
    firstMessage: "",
    folder,
    personality: null,
    metrics: [],
    tools: []
  })),
  folders: ["a"]
}

const after = (held: ReadonlyArray<number>, added: ReadonlyArray<number>, removed: ReadonlyArray<number>) =>
  [...new Set([...held, ...added])].filter((at) => !removed.includes(at)).sort()

const changed = (held: Held, update: Update): Held => ({
  which: held.which,
  instructions: held.instructions + (update.append ?? ""),
  firstMessage: update.firstMessage ?? held.firstMessage,
  folder: update.folder ?? held.folder,
  personality: update.personality ?? held.personality,
  metrics: after(held.metrics, update.addMetrics, update.removeMetrics),
  tools: after(held.tools, update.addTools, update.removeTools)
})

const overlap = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) => one.some((at) => other.includes(at))

/** The fields that are at fault whatever there is. */
const ownFaults = (update: Update): ReadonlyArray<string> => [
  ...(update.isBroken ? ["max_duration"] : []),
  ...(overlap(update.addMetrics, update.removeMetrics) ? ["metric_ids_to_remove"] : []),
  ...(overlap(update.addTools, update.removeTools) ? ["tool_ids_to_remove"] : [])
]

const nothingShown = (faults: ReadonlyArray<string> = []): Answer => ({ faults: [...faults].sort(), evaluators: [] })

const apply = (state: State, step: Step): Transition<State, Answer> => {
  const { evaluators, folders } = state
  switch (step.does) {
    case "make folder b":
      return folders.includes("b")
        ? { state, answer: nothingShown(["path"]) }
        : { state: { evaluators, folders: [...folders, "b"] }, answer: nothingShown() }
    case "remove folder a":
      return {
        state: {
          evaluators: evaluators.map((held) => (held.folder === "a" ? { ...held, folder: "" } : held)),
          folders: folders.filter((path) => path !== "a")
        },
        answer: nothingShown()
      }
    case "remove the second evaluator":
      return { state: { evaluators: evaluators.filter(({ which }) => which !== 1), folders }, answer: nothingShown() }
    case "update": {
      const { folder, many, which } = step
      const faults = [
        ...ownFaults(step),
        ...(which.every((one) => evaluators.some((held) => held.which === one)) ? [] : ["scenarios"]),
        ...(folder === undefined || folder === "" || folders.includes(folder) ? [] : ["folder_path"])
      ]
      if (faults.length > 0) return { state, answer: nothingShown(faults) }
      const next = evaluators.map((held) => (which.some((one) => one === held.which) ? changed(held, step) : held))
      const named = which.flatMap((one) => next.filter((held) => held.which === one))
      return {
        state: { evaluators: next, folders },
        answer: { faults: [], evaluators: many ? named : named.slice(0, 1) }
      }
    }
  }
}

/** What is added and removed; both name the same in one of eight at most, since all is refused then. */
const twoLists = fc
  .tuple(
    fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }),
    fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }),
    fc.nat({ max: 7 })
  )
  .map(
    ([added, removed, chance]) => [added, chance === 0 ? removed : removed.filter((at) => !added.includes(at))] as const
  )

const update: fc.Arbitrary<Update> = fc
  .record({
    many: fc.boolean(),
    which: fc.constantFrom<ReadonlyArray<Which>>([0], [0], [1], [0, 1], [1, 0]),
    append: fc.constantFrom(undefined, "", ""),
    firstMessage: fc.constantFrom(undefined, "Hi", "Hello"),
    folder: fc.constantFrom(undefined, undefined, undefined, "", "a", "b"),
    personality: fc.constantFrom(undefined, 0, 1),
    metrics: twoLists,
    tools: twoLists,
    isBroken: fc.nat({ max: 11 }).map((chance) => chance === 0)
  })
  .map(({ metrics, tools, ...rest }) => ({
    does: "update",
    ...rest,
    addMetrics: metrics[0],
    removeMetrics: metrics[1],
    addTools: tools[0],
    removeTools: tools[1]
  }))

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: update },
      ...(["make folder b", "make folder b", "remove folder a", "remove the second evaluator"] as const).map(
        (does) => ({
          weight: 1,
          arbitrary: fc.constant<Step>({ does })
        })
      )
    ),
    { minLength: 4, maxLength: 6, size: "max" }
  )
  .map((all) =>
    all
      // What is removed is not there to be removed again.
      .filter(({ does }, at) => !does.startsWith("remove") || all.findIndex((one) => one.does === does) === at)
      // Each appends a letter of its own, so that the order of what was kept can be read.
      .map((step, at) =>
        step.does === "update" && step.append !== undefined ? { ...step, append: String.fromCharCode(97 + at) } : step
      )
  )

/** What has to be asked at once, or it says nothing. */
const kinds = [
  "done",
  "done and all answered",
  "refused",
  "two done on one evaluator",
  "two appended to one evaluator",
  "two change the tools of one evaluator",
  "two replace the personality of one evaluator",
  "refused for want of a folder",
  "a folder made while an update names it",
  "a folder removed while an update names it",
  "an evaluator removed while an update names it"
] as const
type Kind = (typeof kinds)[number]

/** What happened; whether a folder was there in time is up to the engine, that it was asked for is not. */
const kindsOf = (coverage: ReadonlyArray<{ readonly step: Step; readonly answer: Answer }>): ReadonlyArray<Kind> => {
  const updates = coverage.flatMap(({ answer, step }) => (step.does === "update" ? [{ answer, step }] : []))
  const done = updates.filter(({ answer }) => answer.faults.length === 0).map(({ step }) => step)
  const meet = (all: ReadonlyArray<Update>) =>
    ([0, 1] as const).some((at) => all.filter(({ which }) => which.includes(at)).length > 1)
  const changesTools = ({ addTools, removeTools }: Update) => addTools.length + removeTools.length > 0
  const isAsked = (does: Step["does"]) => coverage.some(({ step }) => step.does === does)
  const sound = updates.map(({ step }) => step).filter((step) => ownFaults(step).length === 0)
  const found: ReadonlyArray<readonly [happens: boolean, kind: Kind]> = [
    [done.length > 0, "done"],
    [done.some(({ many, which }) => many && which.length > 1), "done and all answered"],
    [done.length < updates.length, "refused"],
    [meet(done), "two done on one evaluator"],
    [meet(done.filter(({ append }) => append !== undefined)), "two appended to one evaluator"],
    [meet(done.filter(changesTools)), "two change the tools of one evaluator"],
    [meet(done.filter(({ personality }) => personality !== undefined)), "two replace the personality of one evaluator"],
    [updates.some(({ answer }) => answer.faults.includes("folder_path")), "refused for want of a folder"],
    [isAsked("make folder b") && sound.some(({ folder }) => folder === "b"), "a folder made while an update names it"],
    [
      isAsked("remove folder a") && sound.some(({ folder }) => folder === "a"),
      "a folder removed while an update names it"
    ],
    [
      isAsked("remove the second evaluator") && sound.some(({ which }) => which.includes(1)),
      "an evaluator removed while an update names it"
    ]
  ]
  return found.flatMap(([happens, kind]) => (happens ? [kind] : []))
}

/** Two evaluators and a folder in a world, and how requests of them are made and read. */
const requests = async ({ agent, driver, metrics, personalities, project, tools }: EvaluatorFixture) => {
  const { id: folder } = await driver.createFolder({ project, path: "a" })
  const ids: Array<number> = []
  for (const folder_path of ["a", ""]) {
    const made = await driver.create({
      agent,
      name: "Both",
      scenario_type: "instruction",
      instructions: "Hi",
      folder_path
    })
    ids.push(made.id ?? 0)
  }
  const heldOf = (seen: SeenEvaluator): Held => ({
    which: ids.indexOf(seen.id),
    instructions: seen.instructions,
    firstMessage: seen.first_message,
    folder: seen.folder_path,
    personality: seen.personality === null ? null : personalities.indexOf(seen.personality),
    metrics: seen.metrics.map((id) => metrics.indexOf(id)).sort(),
    tools: seen.tool_ids.map((id) => tools.indexOf(id)).sort()
  })
  const asked = async (
    step: Step
  ): Promise<EvaluatorResponse & { readonly evaluators?: ReadonlyArray<SeenEvaluator> }> => {
    switch (step.does) {
      case "make folder b":
        return driver.createFolder({ project, path: "b" })
      case "remove folder a":
        return driver.removeFolder(folder ?? 0)
      case "remove the second evaluator":
        return driver.remove(ids[1] ?? 0)
      case "update":
        return driver.bulkUpdate(
          {
            scenarios: step.which.map((at) => ids[at]),
            project,
            metric_ids_to_add: step.addMetrics.map((at) => metrics[at]),
            metric_ids_to_remove: step.removeMetrics.map((at) => metrics[at]),
            tool_ids_to_add: step.addTools.map((at) => tools[at]),
            tool_ids_to_remove: step.removeTools.map((at) => tools[at]),
            ...(step.append === undefined ? {} : { append_instruction: step.append }),
            ...(step.firstMessage === undefined ? {} : { first_message: step.firstMessage }),
            ...(step.folder === undefined ? {} : { folder_path: step.folder }),
            ...(step.personality === undefined ? {} : { personality: personalities[step.personality] }),
            ...(step.isBroken ? { max_duration: 0 } : {})
          },
          step.many
        )
    }
  }
  return {
    ask: async (step: Step): Promise<Answer> => {
      const { evaluators = [], faults } = await asked(step)
      return { faults: [...faults].sort(), evaluators: evaluators.map(heldOf) }
    },
    seen: async (): Promise<State> => ({
      evaluators: (await driver.all()).map(heldOf).sort((one, other) => one.which - other.which),
      folders: [...(await driver.folders())].sort()
    })
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Fails when bulk updates at once are answered, or end, in a way that no order of them explains; answers what happened. */
export const checkConcurrentBulkUpdates = async (
  fixture: () => Promise<EvaluatorFixture>,
  options: { readonly runs: number }
): Promise<Coverage> => {
  const coverage = new CoverageCounter(kinds)
  const details = await fc.check(
    yieldingProperty([steps], async (all) => {
      const { ask, seen } = await requests(await fixture())
      const operations = await Promise.all(all.map(async (step) => ({ step, answer: await ask(step) })))
      coverage.count(...kindsOf(operations))
      const end = await seen()
      const order = linearization<State, Step, Answer>({
        initial,
        operations,
        apply,
        isSame,
        isFinal: ({ evaluators, folders }) => isSame({ evaluators, folders: [...folders].sort() }, end)
      })
      if (order === undefined)
        throw new Error(
          `No order of these requests is answered, and ends, so: ${JSON.stringify({ operations, end }, null, 2)}`
        )
    }),
    parameters(options.runs)
  )
  assertHolds("bulk updates at once are answered, and leave what they leave, as one after the other would", details)
  return coverage.result
}
