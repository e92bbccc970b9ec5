import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import { type InputOptions, readInput } from "../Assignments.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { CommandRejected, ReportedFailure } from "../Errors.js"
import type { CommonOptions, OutboundOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import { resourceActions } from "./Resource.js"

const project = { name: "PROJECT", of: (one: { readonly project: number }) => String(one.project), right: true }
const name = { name: "NAME", of: (one: { readonly name: string }) => one.name, least: 12 }

export const projects = resourceActions({ noun: "project", path: "/user/v1/projects/", columns: [name] })

export const agents = resourceActions({
  noun: "agent",
  path: "/test_framework/v1/agents/",
  columns: [
    project,
    name,
    { name: "PROVIDER", of: ({ provider }) => provider ?? "" },
    { name: "ASSISTANT", of: ({ assistant_id: assistant }) => assistant ?? "", least: 8 }
  ]
})

export const checkVoice = (options: CommonOptions & OutboundOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const check = yield* send("post", "/test_framework/v1/agents/{id}/check_voice/", { id: options.id })
    if (options.json) yield* screen.print(jsonLine(check))
    else if (check.ok) yield* screen.note(check.detail)
    else return yield* new CommandRejected({ reason: check.detail })
    if (!check.ok) return yield* new ReportedFailure()
  }).pipe(onTarget(options))

export const personalities = resourceActions({
  noun: "personality",
  plural: "personalities",
  path: "/test_framework/v1/personalities/",
  columns: [project, name, { name: "LANGUAGE", of: ({ language }) => language }]
})

export const profiles = resourceActions({
  noun: "test profile",
  path: "/test_framework/v1/test_profiles/",
  columns: [project, name, { name: "AGENT", of: ({ agent_name: agent }) => agent ?? "", least: 8 }]
})

export const phoneNumbers = resourceActions({
  noun: "phone number",
  path: "/test_framework/v1/phone_numbers/",
  columns: [project, { name: "NUMBER", of: ({ number }) => number }, name]
})

export const tools = resourceActions({
  noun: "tool",
  path: "/test_framework/v1/tools/",
  columns: [project, name, { name: "DESCRIPTION", of: ({ description }) => description, least: 12 }]
})

export const folders = resourceActions({
  noun: "folder",
  path: "/test_framework/v1/folders/",
  columns: [project, { name: "PATH", of: ({ path }) => path, least: 12 }]
})

/** Source: interface, E7. */
export const enable = (options: CommonOptions & InputOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const body = yield* readInput(options)
    const enabled = yield* send("post", "/user/v1/projects/{id}/enable_personalities/", { id: options.id, body })
    if (options.json) return yield* screen.print(jsonLine(enabled))
    yield* screen.note(
      `Project ${options.id} has ${enabled.length} enabled personalities: ${enabled.map(({ id }) => id).join(", ")}.`
    )
  }).pipe(onTarget(options))
