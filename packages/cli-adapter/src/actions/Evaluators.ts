import { encodeEvaluator, EvaluatorId, Evaluators } from "@earshot/core"
import * as Effect from "effect/Effect"
import { type InputOptions, readInput } from "../Assignments.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, withEngine } from "../Session.js"
import { type CommonOptions, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"
import { describe, resourceActions } from "./Resource.js"

export const { create, list, remove, show, update } = resourceActions({
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
export const bulkUpdate = (options: CommonOptions & InputOptions & { readonly many: boolean }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const input = yield* readInput(options)
    const caller = yield* resolveCaller(options)
    const changed = yield* callAs(caller, (yield* Evaluators).bulkUpdate)(input, { many: options.many })
    const wires = changed.map(encodeEvaluator)
    yield* screen.print(options.json ? jsonLine(options.many ? wires : wires[0]) : wires.map(describe).join("\n\n"))
  }).pipe(withEngine(plainEngine(options), { existing: true }))
