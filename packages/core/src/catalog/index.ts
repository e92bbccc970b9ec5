export {
  Agent,
  AgentDraft,
  AgentPatch,
  AgentWire,
  Channel,
  type ChatEndpoint,
  MASKED,
  type AgentEndpoints,
  type OpenChatEndpoint,
  type OpenVoiceEndpoint,
  type VoiceEndpoint,
  VoiceProtocolName,
  SealedValue,
  encodeAgent
} from "./Agent.js"
export { AssistantIdTaken } from "./AgentErrors.js"
export type { AgentReference } from "./AgentReference.js"
export { AgentQuery, Agents } from "./Agents.js"
export { type AgentNames, AgentStore, type NewAgent } from "./AgentStore.js"
export { encodeOrganization, Organization, type OrganizationDraft } from "./Organization.js"
export { type CreatedOrganization, Organizations } from "./Organizations.js"
export { OrganizationStore } from "./OrganizationStore.js"
export { encodeProject, Project, ProjectDraft, ProjectPatch } from "./Project.js"
export { Projects } from "./Projects.js"
export { PROJECT_DELETION_JOB } from "./ProjectDeletion.js"
export { ProjectPurgeStore, type PurgeStep } from "./ProjectPurgeStore.js"
export { ProjectStore } from "./ProjectStore.js"
export { FolderTaken, NumberTaken } from "./CatalogErrors.js"
export { EnableInput, type ParsedEnableRequest, type EnableRequest, parseEnableRequest } from "./EnableRules.js"
export { encodeFolder, Folder, FolderDraft, FolderPatch } from "./Folder.js"
export * as FolderPathRules from "./FolderPathRules.js"
export { FolderQuery, Folders } from "./Folders.js"
export { FolderStore } from "./FolderStore.js"
export { LanguageCode } from "./LanguageCode.js"
export { Personalities, PersonalityQuery } from "./Personalities.js"
export {
  encodePersonality,
  Personality,
  PersonalityDraft,
  PersonalityPatch,
  type PersonalityAvailability
} from "./Personality.js"
export { type NewPersonality, PersonalityStore } from "./PersonalityStore.js"
export { CallerLine, MAX_SEED, type SeededBehavior, VoiceBehavior } from "./VoiceBehavior.js"
export { encodePhoneNumber, PhoneNumber, PhoneNumberDraft, PhoneNumberPatch } from "./PhoneNumber.js"
export { PhoneNumberQuery, PhoneNumbers } from "./PhoneNumbers.js"
export { type NewPhoneNumber, PhoneNumberStore } from "./PhoneNumberStore.js"
export { fillPlaceholders, MAX_FILLED, placeholderFiller, placeholdersOf } from "./PlaceholderRules.js"
export { callVariables, isLegacyFlat, validateInformation, VARIABLES_SECTION } from "./ProfileRules.js"
export { encodeTestProfile, TestProfile, TestProfileDraft, TestProfilePatch } from "./TestProfile.js"
export { TestProfileQuery, TestProfiles } from "./TestProfiles.js"
export { type NewTestProfile, TestProfileStore } from "./TestProfileStore.js"
export { encodeTool, Tool, ToolDraft, ToolPatch } from "./Tool.js"
export { ToolQuery, Tools } from "./Tools.js"
export { type NewTool, ToolStore } from "./ToolStore.js"
