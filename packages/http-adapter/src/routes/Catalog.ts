import {
  Agent,
  AgentDraft,
  AgentId,
  AgentPatch,
  AgentQuery,
  Agents,
  encodeAgent,
  encodeProject,
  Pages,
  Project,
  ProjectDraft,
  ProjectId,
  ProjectPatch,
  Projects,
  Voice,
  VoiceChecks
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json } from "../Endpoint.js"
import { pathId, resource } from "./Resource.js"

export const projects = resource({
  path: "/user/v1/projects/",
  tag: "Projects",
  noun: "project",
  name: "Project",
  id: ProjectId,
  wire: Project,
  encode: encodeProject,
  create: {
    operation: "projects.create",
    schema: ProjectDraft,
    encodings: anyEncoding,
    example: { name: "Support line", description: "Everything that answers 0800" },
    run: (body) => Effect.flatMap(Projects, (projects) => Effect.map(projects.create(body), encodeProject))
  },
  list: {
    operation: "projects.list",
    query: Pages.PageQuery,
    run: (query) => Effect.flatMap(Projects, (projects) => projects.list(query))
  },
  read: { operation: "projects.read", run: (id) => Effect.flatMap(Projects, (projects) => projects.read(id)) },
  update: {
    operation: "projects.update",
    schema: ProjectPatch,
    encodings: anyEncoding,
    example: { name: "Support line, day shift" },
    run: (id, body) => Effect.flatMap(Projects, (projects) => projects.update(id, body))
  },
  delete: { operation: "projects.delete", run: (id) => Effect.flatMap(Projects, (projects) => projects.delete(id)) }
})

const AGENTS = "/test_framework/v1/agents/"

const checkVoice: Endpoint = {
  method: "POST",
  path: `${AGENTS}:id/check_voice/`,
  id: "agents.checkVoice",
  operation: "agents.checkVoice",
  tag: "Agents",
  summary: "Check an agent's voice endpoint",
  errorStatuses: [409],
  description: [
    "Calls the agent at its `voice_endpoint`, sends silence, and waits up to 10 seconds for its first sound. With text to",
    "speech it greets an agent that is silent for 4 seconds. `problem` and `detail` state what is wrong. One check of an organization runs at a time: another is answered with 409."
  ].join(" "),
  responses: [{ status: 200, description: "The outcome.", body: { name: "VoiceCheck", schema: Voice.VoiceCheck } }],
  handle: ({ params }) =>
    Effect.gen(function* () {
      const id = yield* pathId(AgentId, params, "Agent")
      return json(200, Voice.encodeVoiceCheck(yield* (yield* VoiceChecks).check(id)))
    })
}

const crud = resource({
  path: AGENTS,
  tag: "Agents",
  noun: "agent",
  name: "Agent",
  id: AgentId,
  wire: Schema.Struct({ ...Agent.fields, agent_name: Schema.String }),
  encode: encodeAgent,
  create: {
    operation: "agents.create",
    schema: AgentDraft,
    encodings: anyEncoding,
    example: { project: 1, name: "Booking agent", assistant_id: "asst_1", supported_channels: ["voice", "text"] },
    run: (body) => Effect.flatMap(Agents, (agents) => Effect.map(agents.create(body), encodeAgent))
  },
  list: {
    operation: "agents.list",
    query: AgentQuery,
    run: (query) => Effect.flatMap(Agents, (agents) => agents.list(query))
  },
  read: { operation: "agents.read", run: (id) => Effect.flatMap(Agents, (agents) => agents.read(id)) },
  update: {
    operation: "agents.update",
    schema: AgentPatch,
    encodings: anyEncoding,
    example: { description: "Books tables for {{restaurant}}." },
    run: (id, body) => Effect.flatMap(Agents, (agents) => agents.update(id, body))
  },
  delete: {
    operation: "agents.delete",
    description: "The agent's calls are kept.",
    run: (id) => Effect.flatMap(Agents, (agents) => agents.delete(id))
  }
})

export const agents: ReadonlyArray<Endpoint> = [...crud, checkVoice]
