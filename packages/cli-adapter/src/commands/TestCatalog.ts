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
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { plainEngine } from "../Settings.js"
import { printJson } from "../Text.js"
import { type Common, subject } from "./Subject.js"

const project = { name: "PROJECT", of: (one: { readonly projectId: number }) => String(one.projectId), right: true }
const name = { name: "NAME", of: (one: { readonly name: string }) => one.name, least: 12 }

export const projects = subject({
  noun: "project",
  useCases: Projects,
  id: ProjectId,
  encode: encodeProject,
  columns: [name]
})

export const agents = subject({
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

export const personalities = subject({
  noun: "personality",
  useCases: Personalities,
  id: PersonalityId,
  encode: encodePersonality,
  columns: [project, name, { name: "LANGUAGE", of: ({ language }) => language }]
})

export const profiles = subject({
  noun: "test profile",
  useCases: TestProfiles,
  id: TestProfileId,
  encode: encodeTestProfile,
  columns: [project, name, { name: "AGENT", of: ({ agentName }) => agentName ?? "", least: 8 }]
})

export const phoneNumbers = subject({
  noun: "phone number",
  useCases: PhoneNumbers,
  id: PhoneNumberId,
  encode: encodePhoneNumber,
  columns: [project, { name: "NUMBER", of: ({ number }) => number }, name]
})

export const tools = subject({
  noun: "tool",
  useCases: Tools,
  id: ToolId,
  encode: encodeTool,
  columns: [project, name, { name: "DESCRIPTION", of: ({ description }) => description, least: 12 }]
})

export const folders = subject({
  noun: "folder",
  useCases: Folders,
  id: FolderId,
  encode: encodeFolder,
  columns: [project, { name: "PATH", of: ({ path }) => path, least: 12 }]
})

/** Source: interface, E7. */
export const enable = (options: Common & InputOptions & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const input = yield* readInput(options)
    const caller = yield* findCaller(options)
    const id = yield* idOf(ProjectId, "Project", options.id)
    const enabled = yield* calling(caller, (yield* Personalities).enable)(id, input)
    if (options.json) return yield* screen.print(printJson(enabled.map((one) => encodePersonality(one))))
    yield* screen.note(`${enabled.length} enabled for project ${id}: ${enabled.map((one) => one.id).join(", ")}`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
