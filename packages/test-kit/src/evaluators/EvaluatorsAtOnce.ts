/** Bulk updates that are asked for at once: their outcome is that of some order of them (interface, E4). */
import * as fc from "fast-check"
import { assertHolds, asyncProperty, parameters } from "../Law.js"
import { linearised } from "../models/Linearisable.js"
import { type Happened, Tally } from "../models/Walk.js"
import type { DoorAnswer, EvaluatorWorld } from "./EvaluatorModel.js"

/** What one request asks of two evaluators. */
interface Update {
  readonly which: ReadonlyArray<0 | 1>
  readonly append?: string
  readonly firstMessage?: string
  readonly add: ReadonlyArray<number>
  readonly remove: ReadonlyArray<number>
  /** A fault that the request has besides, so that nothing of it may be done. */
  readonly isBroken: boolean
}

interface Held {
  readonly instructions: string
  readonly firstMessage: string
  readonly metrics: ReadonlyArray<number>
}

type State = readonly [Held, Held]

const changed = (held: Held, { add, append, firstMessage, remove }: Update): Held => ({
  instructions: held.instructions + (append ?? ""),
  firstMessage: firstMessage ?? held.firstMessage,
  metrics: [...new Set([...held.metrics, ...add])].filter((id) => !remove.includes(id)).sort()
})

const apply = (state: State, update: Update): { readonly state: State; readonly answer: ReadonlyArray<string> } => {
  const faults = [
    ...(update.isBroken ? ["max_duration"] : []),
    ...(update.add.some((id) => update.remove.includes(id)) ? ["metric_ids_to_remove"] : [])
  ]
  const [first, second] = state
  return {
    answer: faults,
    state:
      faults.length > 0
        ? state
        : [
            update.which.includes(0) ? changed(first, update) : first,
            update.which.includes(1) ? changed(second, update) : second
          ]
  }
}

const some = fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 })

const updates: fc.Arbitrary<ReadonlyArray<Update>> = fc
  .array(
    fc.record({
      which: fc.constantFrom<ReadonlyArray<0 | 1>>([0], [1], [0, 1], [1, 0]),
      append: fc.boolean(),
      firstMessage: fc.constantFrom(undefined, "Hi", "Hello"),
      add: some,
      remove: some,
      isBroken: fc.nat({ max: 5 }).map((chance) => chance === 0)
    }),
    { minLength: 2, maxLength: 5 }
  )
  .map((all) =>
    all.map(({ append, firstMessage, ...rest }, at): Update => ({
      ...rest,
      // Each appends a letter of its own, so that the order of what was kept can be read.
      ...(append ? { append: String.fromCharCode(97 + at) } : {}),
      ...(firstMessage === undefined ? {} : { firstMessage })
    }))
  )

/** What has to be asked at once, or it says nothing. */
const kinds = ["done", "refused", "two done on one evaluator", "two appended to one evaluator"] as const

/** Fails when bulk updates at once are answered, or end, in a way that no order of them explains; answers what happened. */
export const checkBulkUpdatesAtOnce = async (
  world: () => Promise<EvaluatorWorld>,
  options: { readonly walks: number }
): Promise<Happened> => {
  const tally = new Tally(kinds)
  const details = await fc.check(
    asyncProperty([updates], async (steps) => {
      const { agent, door, metrics, project } = await world()
      const ids: Array<number> = []
      for (const name of ["one", "two"]) {
        const made = await door.create({ agent, name, scenario_type: "instruction", instructions: "Hi" })
        ids.push(made.id ?? 0)
      }
      const ask = ({ add, append, firstMessage, isBroken, remove, which }: Update): Promise<DoorAnswer> =>
        door.bulkUpdate({
          scenarios: which.map((at) => ids[at]),
          project,
          metric_ids_to_add: add.map((at) => metrics[at]),
          metric_ids_to_remove: remove.map((at) => metrics[at]),
          ...(append === undefined ? {} : { append_instruction: append }),
          ...(firstMessage === undefined ? {} : { first_message: firstMessage }),
          ...(isBroken ? { max_duration: 0 } : {})
        })
      const happened = await Promise.all(
        steps.map(async (step) => ({ step, answer: [...(await ask(step)).faults].sort() }))
      )
      const done = happened.filter(({ answer }) => answer.length === 0).map(({ step }) => step)
      for (const { answer } of happened) tally.count(answer.length === 0 ? "done" : "refused")
      const meet = (all: ReadonlyArray<Update>) =>
        ([0, 1] as const).some((at) => all.filter(({ which }) => which.includes(at)).length > 1)
      if (meet(done)) tally.count("two done on one evaluator")
      if (meet(done.filter(({ append }) => append !== undefined))) tally.count("two appended to one evaluator")
      const all = await door.all()
      const seen = ids.map((id) => {
        const found = all.find((one) => one.id === id)
        return {
          instructions: found?.instructions,
          firstMessage: found?.first_message,
          metrics: [...(found?.metrics ?? [])].map((metric) => metrics.indexOf(metric)).sort()
        }
      })
      const bare: Held = { instructions: "Hi", firstMessage: "", metrics: [] }
      const initial: State = [bare, bare]
      const order = linearised<State, Update, ReadonlyArray<string>>({
        initial,
        happened,
        apply,
        isSame: (one, other) => JSON.stringify(one) === JSON.stringify(other),
        isFinal: (state) => JSON.stringify(state) === JSON.stringify(seen)
      })
      if (order === undefined)
        throw new Error(`No order of these updates ends so: ${JSON.stringify({ happened, seen }, null, 2)}`)
    }),
    parameters(options.walks)
  )
  assertHolds("what bulk updates at once leave could be left by one after the other", details)
  return tally.happened
}
