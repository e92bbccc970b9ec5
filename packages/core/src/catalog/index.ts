export {
  Agent,
  AgentDraft,
  AgentPatch,
  AgentWire,
  Channel,
  type ChatEndpoint,
  CONCEALED,
  encodeAgent
} from "./Agent.js"
export { AssistantIdTaken } from "./AgentErrors.js"
export { type AgentName, AgentQuery, Agents } from "./Agents.js"
export { type AgentNames, AgentStore, type NewAgent } from "./AgentStore.js"
export { encodeOrganization, Organization, type OrganizationDraft } from "./Organization.js"
export { type FoundedOrganization, Organizations } from "./Organizations.js"
export { OrganizationStore } from "./OrganizationStore.js"
export { encodeProject, Project, ProjectDraft, ProjectPatch } from "./Project.js"
export { Projects } from "./Projects.js"
export { ProjectStore } from "./ProjectStore.js"
