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
export { FolderTaken, NumberTaken } from "./CatalogErrors.js"
export { EnableInput, type EnableReading, type EnableRequest, readEnableRequest } from "./EnableRules.js"
export { encodeFolder, Folder, FolderDraft, FolderPatch } from "./Folder.js"
export * as FolderPathRules from "./FolderPathRules.js"
export { FolderQuery, Folders } from "./Folders.js"
export { FolderStore } from "./FolderStore.js"
export { LanguageCode } from "./Language.js"
export { Personalities, PersonalityQuery } from "./Personalities.js"
export {
  encodePersonality,
  Personality,
  PersonalityDraft,
  PersonalityPatch,
  type PersonalityStanding
} from "./Personality.js"
export { type NewPersonality, PersonalityStore } from "./PersonalityStore.js"
export { encodePhoneNumber, PhoneNumber, PhoneNumberDraft, PhoneNumberPatch } from "./PhoneNumber.js"
export { PhoneNumberQuery, PhoneNumbers } from "./PhoneNumbers.js"
export { type NewPhoneNumber, PhoneNumberStore } from "./PhoneNumberStore.js"
export { fillPlaceholders, MAX_FILLED, placeholderFiller, placeholdersOf } from "./PlaceholderRules.js"
export { callVariables, isLegacyFlat, judgeInformation, VARIABLES_SECTION } from "./ProfileRules.js"
export { encodeTestProfile, TestProfile, TestProfileDraft, TestProfilePatch } from "./TestProfile.js"
export { TestProfileQuery, TestProfiles } from "./TestProfiles.js"
export { type NewTestProfile, TestProfileStore } from "./TestProfileStore.js"
export { encodeTool, Tool, ToolDraft, ToolPatch } from "./Tool.js"
export { ToolQuery, Tools } from "./Tools.js"
export { type NewTool, ToolStore } from "./ToolStore.js"
