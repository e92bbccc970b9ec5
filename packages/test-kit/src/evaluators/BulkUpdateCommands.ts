import * as fc from "fast-check"
import {
  anyPath,
  type Command,
  command,
  isThere,
  type Kind,
  optionally,
  type Place,
  some
} from "./EvaluatorModelState.js"

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
export const anyBulk: fc.Arbitrary<Bulk> = fc.record({
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

export const bulk = (change: Bulk): Command =>
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
