import {
  AgentId,
  Agents,
  encodeAgent,
  encodeFolder,
  encodePersonality,
  encodePhoneNumber,
  encodeProject,
  encodeTestProfile,
  encodeTool,
  FolderId,
  Folders,
  Personalities,
  PersonalityId,
  PhoneNumberId,
  PhoneNumbers,
  ProjectId,
  Projects,
  TestProfileId,
  TestProfiles,
  ToolId,
  Tools
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { type InputOptions, readInput } from "../Assignments.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"
import { resourceActions } from "./Resource.js"

const project = { name: "PROJECT", of: (one: { readonly projectId: number }) => String(one.projectId), right: true }
const name = { name: "NAME", of: (one: { readonly name: string }) => one.name, least: 12 }

export const projects = resourceActions({
  noun: "project",
  useCases: Projects,
  id: ProjectId,
  encode: encodeProject,
  columns: [name]
})

export const agents = resourceActions({
  noun: "agent",
  useCases: Agents,
  id: AgentId,
  encode: encodeAgent,
  columns: [
    project,
    name,
    { name: "PROVIDER", of: ({ provider }) => provider ?? "" },
    { name: "ASSISTANT", of: ({ assistantId }) => assistantId ?? "", least: 8 }
  ]
})

export const personalities = resourceActions({
  noun: "personality",
  plural: "personalities",
  useCases: Personalities,
  id: PersonalityId,
  encode: encodePersonality,
  columns: [project, name, { name: "LANGUAGE", of: ({ language }) => language }]
})

export const profiles = resourceActions({
  noun: "test profile",
  useCases: TestProfiles,
  id: TestProfileId,
  encode: encodeTestProfile,
  columns: [project, name, { name: "AGENT", of: ({ agentName }) => agentName ?? "", least: 8 }]
})

export const phoneNumbers = resourceActions({
  noun: "phone number",
  useCases: PhoneNumbers,
  id: PhoneNumberId,
  encode: encodePhoneNumber,
  columns: [project, { name: "NUMBER", of: ({ number }) => number }, name]
})

export const tools = resourceActions({
  noun: "tool",
  useCases: Tools,
  id: ToolId,
  encode: encodeTool,
  columns: [project, name, { name: "DESCRIPTION", of: ({ description }) => description, least: 12 }]
})

export const folders = resourceActions({
  noun: "folder",
  useCases: Folders,
  id: FolderId,
  encode: encodeFolder,
  columns: [project, { name: "PATH", of: ({ path }) => path, least: 12 }]
})

/** Source: interface, E7. */
export const enable = (options: CommonOptions & InputOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const input = yield* readInput(options)
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(ProjectId, "Project", options.id)
    const enabled = yield* callAs(caller, (yield* Personalities).enable)(id, input)
    if (options.json) return yield* screen.print(jsonLine(enabled.map((one) => encodePersonality(one))))
    yield* screen.note(
      `Project ${id} has ${enabled.length} enabled personalities: ${enabled.map((one) => one.id).join(", ")}.`
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))
