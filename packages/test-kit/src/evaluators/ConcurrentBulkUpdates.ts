/**
 * Concurrent bulk updates, while folders are created and deleted and an evaluator is deleted, are linearizable (interface,
 * E4).
 */
import * as fc from "fast-check"
import { assertHolds, yieldingProperty, parameters } from "../Property.js"
import { linearization, type Transition } from "../models/Linearizable.js"
import { type Coverage, CoverageCounter } from "../models/Coverage.js"
import type { EvaluatorResponse, EvaluatorFixture, SeenEvaluator } from "./EvaluatorModelState.js"

/** One of the two initial evaluators. */
type Which = 0 | 1

/** A bulk update; metrics, tools and personalities are positions. */
interface Update {
  readonly does: "update"
  /** Whether all evaluators are returned, or only the first. */
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
  /** An invalid field, so that nothing may be changed. */
  readonly isBroken: boolean
}

/** Initially there is a folder `a` with the first evaluator, and no folder `b`. */
type Step =
  | Update
  | { readonly does: "make folder b" }
  | { readonly does: "remove folder a" }
  | { readonly does: "remove the second evaluator" }

/** The part of an evaluator that these requests change. */
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
  /** The invalid fields, sorted. */
  readonly errors: ReadonlyArray<string>
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

/** The fields that are invalid in every state. */
const ownErrors = (update: Update): ReadonlyArray<string> => [
  ...(update.isBroken ? ["max_duration"] : []),
  ...(overlap(update.addMetrics, update.removeMetrics) ? ["metric_ids_to_remove"] : []),
  ...(overlap(update.addTools, update.removeTools) ? ["tool_ids_to_remove"] : [])
]

const nothingShown = (errors: ReadonlyArray<string> = []): Answer => ({ errors: [...errors].sort(), evaluators: [] })

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
      const errors = [
        ...ownErrors(step),
        ...(which.every((one) => evaluators.some((held) => held.which === one)) ? [] : ["scenarios"]),
        ...(folder === undefined || folder === "" || folders.includes(folder) ? [] : ["folder_path"])
      ]
      if (errors.length > 0) return { state, answer: nothingShown(errors) }
      const next = evaluators.map((held) => (which.some((one) => one === held.which) ? changed(held, step) : held))
      const named = which.flatMap((one) => next.filter((held) => held.which === one))
      return {
        state: { evaluators: next, folders },
        answer: { errors: [], evaluators: many ? named : named.slice(0, 1) }
      }
    }
  }
}

/** Additions and removals; they overlap in at most one of eight cases, since the update is rejected then. */
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
      // Removals and additions are disjoint.
      .filter(({ does }, at) => !does.startsWith("remove") || all.findIndex((one) => one.does === does) === at)
      // Each appends a letter of its own, which shows the order.
      .map((step, at) =>
        step.does === "update" && step.append !== undefined ? { ...step, append: String.fromCharCode(97 + at) } : step
      )
  )

/** Events that the concurrent requests have to cover. */
const kinds = [
  "done",
  "done and all returned",
  "refused",
  "two updates of one evaluator",
  "two appends to one evaluator",
  "two changes of one evaluator's tools",
  "two changes of one evaluator's personality",
  "rejected without a folder",
  "folder created during an update into it",
  "folder deleted during an update into it",
  "evaluator deleted during an update of it"
] as const
type Kind = (typeof kinds)[number]

/** The events of concurrent requests. Whether a folder existed in time depends on the engine; that it was requested does not. */
const kindsOf = (coverage: ReadonlyArray<{ readonly step: Step; readonly answer: Answer }>): ReadonlyArray<Kind> => {
  const updates = coverage.flatMap(({ answer, step }) => (step.does === "update" ? [{ answer, step }] : []))
  const done = updates.filter(({ answer }) => answer.errors.length === 0).map(({ step }) => step)
  const meet = (all: ReadonlyArray<Update>) =>
    ([0, 1] as const).some((at) => all.filter(({ which }) => which.includes(at)).length > 1)
  const changesTools = ({ addTools, removeTools }: Update) => addTools.length + removeTools.length > 0
  const isAsked = (does: Step["does"]) => coverage.some(({ step }) => step.does === does)
  const sound = updates.map(({ step }) => step).filter((step) => ownErrors(step).length === 0)
  const found: ReadonlyArray<readonly [happens: boolean, kind: Kind]> = [
    [done.length > 0, "done"],
    [done.some(({ many, which }) => many && which.length > 1), "done and all returned"],
    [done.length < updates.length, "refused"],
    [meet(done), "two updates of one evaluator"],
    [meet(done.filter(({ append }) => append !== undefined)), "two appends to one evaluator"],
    [meet(done.filter(changesTools)), "two changes of one evaluator's tools"],
    [meet(done.filter(({ personality }) => personality !== undefined)), "two changes of one evaluator's personality"],
    [updates.some(({ answer }) => answer.errors.includes("folder_path")), "rejected without a folder"],
    [isAsked("make folder b") && sound.some(({ folder }) => folder === "b"), "folder created during an update into it"],
    [
      isAsked("remove folder a") && sound.some(({ folder }) => folder === "a"),
      "folder deleted during an update into it"
    ],
    [
      isAsked("remove the second evaluator") && sound.some(({ which }) => which.includes(1)),
      "evaluator deleted during an update of it"
    ]
  ]
  return found.flatMap(([happens, kind]) => (happens ? [kind] : []))
}

/** Creates two evaluators and a folder; returns the requests on them and their state. */
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
      const { evaluators = [], errors } = await asked(step)
      return { errors: [...errors].sort(), evaluators: evaluators.map(heldOf) }
    },
    seen: async (): Promise<State> => ({
      evaluators: (await driver.all()).map(heldOf).sort((one, other) => one.which - other.which),
      folders: [...(await driver.folders())].sort()
    })
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Fails when concurrent bulk updates are not linearizable; returns the coverage. */
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
        throw new Error(`These requests are not linearizable: ${JSON.stringify({ operations, end }, null, 2)}`)
    }),
    parameters(options.runs)
  )
  assertHolds("concurrent bulk updates are linearizable", details)
  return coverage.result
}
