import {
  EnableInput,
  encodeFolder,
  encodePersonality,
  encodePhoneNumber,
  encodeTestProfile,
  encodeTool,
  Folder,
  FolderDraft,
  FolderId,
  FolderPatch,
  FolderQuery,
  Folders,
  Personalities,
  Personality,
  PersonalityDraft,
  PersonalityId,
  PersonalityPatch,
  PersonalityQuery,
  PhoneNumber,
  PhoneNumberDraft,
  PhoneNumberId,
  PhoneNumberPatch,
  PhoneNumberQuery,
  PhoneNumbers,
  ProjectId,
  TestProfile,
  TestProfileDraft,
  TestProfileId,
  TestProfilePatch,
  TestProfileQuery,
  TestProfiles,
  Tool,
  ToolDraft,
  ToolId,
  ToolPatch,
  ToolQuery,
  Tools
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json } from "../Endpoint.js"
import { pathId, resource } from "./Resource.js"

const personalityResource = resource({
  path: "/test_framework/v1/personalities/",
  tag: "Personalities",
  noun: "personality",
  plural: "personalities",
  name: "Personality",
  id: PersonalityId,
  wire: Personality,
  encode: encodePersonality,
  create: {
    operation: "personalities.create",
    schema: PersonalityDraft,
    encodings: anyEncoding,
    example: {
      ...{ project: 1, name: "Impatient", language: "en", description: "Sighs and interrupts." },
      voice_behavior: { pace: 1.2, interrupts: { after_seconds: 2, probability: 0.5 } }
    },
    run: (body) =>
      Effect.flatMap(Personalities, (personalities) => Effect.map(personalities.create(body), encodePersonality))
  },
  list: {
    operation: "personalities.list",
    query: PersonalityQuery,
    run: (query) => Effect.flatMap(Personalities, (personalities) => personalities.list(query))
  },
  read: {
    operation: "personalities.read",
    run: (id) => Effect.flatMap(Personalities, (personalities) => personalities.read(id))
  },
  update: {
    operation: "personalities.update",
    schema: PersonalityPatch,
    encodings: anyEncoding,
    example: { language: "de" },
    run: (id, body) => Effect.flatMap(Personalities, (personalities) => personalities.update(id, body))
  },
  delete: {
    operation: "personalities.delete",
    description: "It is removed from evaluators that use it.",
    run: (id) => Effect.flatMap(Personalities, (personalities) => personalities.delete(id))
  }
})

/** E7 and related endpoints. */
export const personalities: ReadonlyArray<Endpoint> = [
  ...personalityResource,
  {
    method: "POST",
    path: "/user/v1/projects/:id/enable_personalities/",
    id: "personalities.enable",
    operation: "personalities.enable",
    tag: "Personalities",
    summary: "Enable personalities for a project",
    description:
      "Enables further personalities for the project's evaluators. `language` restricts the given ones to that language.",
    body: {
      name: "EnablePersonalities",
      schema: EnableInput,
      encodings: anyEncoding,
      example: { personalities: "all", language: "en" }
    },
    responses: [
      {
        status: 200,
        description: "All personalities that are enabled for the project.",
        body: { name: "EnabledPersonalities", schema: Schema.Array(Personality) }
      }
    ],
    handle: ({ body, params }) =>
      Effect.flatMap(pathId(ProjectId, params, "Project"), (id) =>
        Effect.flatMap(Personalities, (personalities) =>
          Effect.map(personalities.enable(id, body), (enabled) =>
            json(
              200,
              enabled.map((personality) => encodePersonality(personality))
            )
          )
        )
      )
  }
]

export const testProfiles = resource({
  path: "/test_framework/v1/test_profiles/",
  tag: "Test profiles",
  noun: "test profile",
  name: "TestProfile",
  id: TestProfileId,
  wire: TestProfile,
  encode: encodeTestProfile,
  create: {
    operation: "testProfiles.create",
    schema: TestProfileDraft,
    encodings: anyEncoding,
    example: { project: 1, name: "Ann", information: { main_agent_variables: { name: "Ann" } } },
    run: (body) =>
      Effect.flatMap(TestProfiles, (testProfiles) => Effect.map(testProfiles.create(body), encodeTestProfile))
  },
  list: {
    operation: "testProfiles.list",
    query: TestProfileQuery,
    run: (query) => Effect.flatMap(TestProfiles, (testProfiles) => testProfiles.list(query))
  },
  read: {
    operation: "testProfiles.read",
    run: (id) => Effect.flatMap(TestProfiles, (testProfiles) => testProfiles.read(id))
  },
  update: {
    operation: "testProfiles.update",
    schema: TestProfilePatch,
    encodings: anyEncoding,
    example: { name: "Ann, gold plan" },
    run: (id, body) => Effect.flatMap(TestProfiles, (testProfiles) => testProfiles.update(id, body))
  },
  delete: {
    operation: "testProfiles.delete",
    description: "It is removed from evaluators that use it.",
    run: (id) => Effect.flatMap(TestProfiles, (testProfiles) => testProfiles.delete(id))
  }
})

export const phoneNumbers = resource({
  path: "/test_framework/v1/phone_numbers/",
  tag: "Phone numbers",
  noun: "phone number",
  name: "PhoneNumber",
  id: PhoneNumberId,
  wire: PhoneNumber,
  encode: encodePhoneNumber,
  create: {
    operation: "phoneNumbers.create",
    schema: PhoneNumberDraft,
    encodings: anyEncoding,
    example: { project: 1, number: "+15550100", name: "Front desk" },
    run: (body) =>
      Effect.flatMap(PhoneNumbers, (phoneNumbers) => Effect.map(phoneNumbers.create(body), encodePhoneNumber))
  },
  list: {
    operation: "phoneNumbers.list",
    query: PhoneNumberQuery,
    run: (query) => Effect.flatMap(PhoneNumbers, (phoneNumbers) => phoneNumbers.list(query))
  },
  read: {
    operation: "phoneNumbers.read",
    run: (id) => Effect.flatMap(PhoneNumbers, (phoneNumbers) => phoneNumbers.read(id))
  },
  update: {
    operation: "phoneNumbers.update",
    schema: PhoneNumberPatch,
    encodings: anyEncoding,
    example: { name: "Back office" },
    run: (id, body) => Effect.flatMap(PhoneNumbers, (phoneNumbers) => phoneNumbers.update(id, body))
  },
  delete: {
    operation: "phoneNumbers.delete",
    description: "It is removed from evaluators that use it.",
    run: (id) => Effect.flatMap(PhoneNumbers, (phoneNumbers) => phoneNumbers.delete(id))
  }
})

export const tools = resource({
  path: "/test_framework/v1/tools/",
  tag: "Tools",
  noun: "tool",
  name: "Tool",
  id: ToolId,
  wire: Tool,
  encode: encodeTool,
  create: {
    operation: "tools.create",
    schema: ToolDraft,
    encodings: anyEncoding,
    example: { project: 1, name: "keypad", description: "Presses keys", parameters: { type: "object" } },
    run: (body) => Effect.flatMap(Tools, (tools) => Effect.map(tools.create(body), encodeTool))
  },
  list: {
    operation: "tools.list",
    query: ToolQuery,
    run: (query) => Effect.flatMap(Tools, (tools) => tools.list(query))
  },
  read: { operation: "tools.read", run: (id) => Effect.flatMap(Tools, (tools) => tools.read(id)) },
  update: {
    operation: "tools.update",
    schema: ToolPatch,
    encodings: anyEncoding,
    example: { description: "Presses one key" },
    run: (id, body) => Effect.flatMap(Tools, (tools) => tools.update(id, body))
  },
  delete: {
    operation: "tools.delete",
    description: "It is removed from evaluators that use it.",
    run: (id) => Effect.flatMap(Tools, (tools) => tools.delete(id))
  }
})

export const folders = resource({
  path: "/test_framework/v1/folders/",
  tag: "Folders",
  noun: "folder",
  name: "Folder",
  id: FolderId,
  wire: Folder,
  encode: encodeFolder,
  create: {
    operation: "folders.create",
    schema: FolderDraft,
    encodings: anyEncoding,
    example: { project: 1, path: "smoke" },
    run: (body) => Effect.flatMap(Folders, (folders) => Effect.map(folders.create(body), encodeFolder))
  },
  list: {
    operation: "folders.list",
    query: FolderQuery,
    run: (query) => Effect.flatMap(Folders, (folders) => folders.list(query))
  },
  read: { operation: "folders.read", run: (id) => Effect.flatMap(Folders, (folders) => folders.read(id)) },
  update: {
    operation: "folders.update",
    schema: FolderPatch,
    description: "Renames or moves the folder with its subfolders and evaluators.",
    encodings: anyEncoding,
    example: { path: "nightly" },
    run: (id, body) => Effect.flatMap(Folders, (folders) => folders.update(id, body))
  },
  delete: {
    operation: "folders.delete",
    description: "Also deletes its subfolders. Their evaluators move to the parent folder, or to the root.",
    run: (id) => Effect.flatMap(Folders, (folders) => folders.delete(id))
  }
})
