import * as Effect from "effect/Effect"
import { sendUntyped } from "../Api.js"
import { type InputOptions, readInput } from "../Assignments.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import type { CommonOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import type { Wire } from "../Wire.js"
import { describe, resourceActions } from "./Resource.js"

export const { create, list, remove, show, update } = resourceActions({
  noun: "evaluator",
  path: "/test_framework/v1/scenarios/",
  columns: [
    { name: "NAME", of: ({ name }) => name, least: 12 },
    { name: "TYPE", of: ({ scenario_type: type }) => type },
    { name: "AGENT", of: ({ agent_name: agent }) => agent, least: 8 },
    { name: "FOLDER", of: ({ folder_path: folder }) => folder, least: 8 },
    { name: "TAGS", of: ({ tags }) => tags.join(" "), least: 8 },
    { name: "METRICS", of: ({ metrics }) => String(metrics.length), right: true }
  ]
})

/** Source: interface, E4. */
export const bulkUpdate = (options: CommonOptions & InputOptions & { readonly many: boolean }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const body = yield* readInput(options)
    const changed = yield* sendUntyped<Wire<"BulkUpdated">>("post", "/test_framework/v1/scenarios/adv_update/", {
      query: { many: options.many },
      body
    })
    yield* screen.print(
      options.json
        ? jsonLine(changed)
        : [changed]
            .flat()
            .map((one) => describe(one))
            .join("\n\n")
    )
  }).pipe(onTarget(options))
