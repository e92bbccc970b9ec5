import { encodeEvaluator, EvaluatorId, Evaluators } from "@earshot/core"
import * as Effect from "effect/Effect"
import { type InputOptions, readInput } from "../Assignments.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, withEngine } from "../Session.js"
import { plainEngine } from "../Settings.js"
import { printJson } from "../Text.js"
import { type Common, describe, subject } from "./Subject.js"

export const { create, list, remove, show, update } = subject({
  noun: "evaluator",
  useCases: Evaluators,
  id: EvaluatorId,
  encode: encodeEvaluator,
  columns: [
    { name: "NAME", of: ({ name }) => name, least: 12 },
    { name: "TYPE", of: ({ scenarioType }) => scenarioType },
    { name: "AGENT", of: ({ agentName }) => agentName, least: 8 },
    { name: "FOLDER", of: ({ folderPath }) => folderPath, least: 8 },
    { name: "TAGS", of: ({ tags }) => tags.join(" "), least: 8 },
    { name: "METRICS", of: ({ metricIds }) => String(metricIds.length), right: true }
  ]
})

/** Source: interface, E4. */
export const bulkUpdate = (options: Common & InputOptions & { readonly many: boolean }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const input = yield* readInput(options)
    const caller = yield* findCaller(options)
    const changed = yield* calling(caller, (yield* Evaluators).bulkUpdate)(input, { many: options.many })
    const wires = changed.map(encodeEvaluator)
    yield* screen.print(options.json ? printJson(options.many ? wires : wires[0]) : wires.map(describe).join("\n\n"))
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
