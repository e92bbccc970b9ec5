import { AgentStore, type NewAgent, OrganizationStore, ProjectStore } from "@earshot/core"
import * as Effect from "effect/Effect"
import { at } from "../storage/Moments.js"
import { permit } from "./Permits.js"

/** The fields of an agent that is called by voice, or what is given. */
export const newAgent = (agent: Pick<NewAgent, "projectId"> & Partial<NewAgent>): NewAgent => ({
  name: "Agent",
  description: "",
  assistantId: null,
  provider: null,
  supportedChannels: ["voice"],
  chatEndpoint: null,
  voiceEndpoint: null,
  ...agent
})

/** A new organization with a project and an agent, and the permit that they were created by. */
export const organizationWithAgent = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const toCreate = permit(id, "agents.create")
  const project = yield* (yield* ProjectStore).insert(toCreate, { name: "P", description: "" }, at(0))
  const agent = yield* (yield* AgentStore).insert(toCreate, newAgent({ projectId: project.id, name: "A" }), at(0))
  return { id, project, agent, toCreate }
})
