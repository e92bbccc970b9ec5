/** Groups for what tests are made of: projects, agents, personalities, profiles, phone numbers, tools, folders. */
import { command, group, integer, text } from "./Declare.js"
import { resourceCommands } from "./Resource.js"
import { common, id, input, outbound, project } from "./Shared.js"

const load = () => import("../actions/TestCatalog.js")

export const projects = group(
  "projects",
  "Manage projects.",
  resourceCommands("project", async () => (await load()).projects)
)

export const agents = group("agents", "Manage the agents that are tested and observed.", [
  ...resourceCommands("agent", async () => (await load()).agents, { project }),
  command("check-voice", {
    description: "Call an agent at its voice endpoint, and report problems. Takes up to 30 seconds.",
    options: { ...common, ...outbound },
    args: { id: id("agent") },
    action: async () => (await load()).checkVoice
  })
])

export const personalities = group("personalities", "Manage the personalities of simulated callers.", [
  ...resourceCommands(
    "personality",
    async () => (await load()).personalities,
    {
      project,
      enabled_in: integer("--enabled-in <id>", "Only those that are enabled for this project."),
      language: text("--language <language>", "Only those of this language.")
    },
    "personalities"
  ),
  command("enable", {
    description: "Enable personalities for a project: personalities=1,2 or personalities=all language=en.",
    options: { ...common, ...input.options },
    args: { id: id("project"), ...input.args },
    action: async () => (await load()).enable
  })
])

export const profiles = group(
  "profiles",
  "Manage test profiles: the facts and variables that simulated callers use.",
  resourceCommands("test profile", async () => (await load()).profiles, {
    project,
    agent: integer("--agent <id>", "Only those written for this agent.")
  })
)

export const phoneNumbers = group(
  "phone-numbers",
  "Manage the phone numbers that simulated callers call from.",
  resourceCommands("phone number", async () => (await load()).phoneNumbers, { project })
)

export const tools = group(
  "tools",
  "Manage the tools that simulated callers can use.",
  resourceCommands("tool", async () => (await load()).tools, { project })
)

export const folders = group(
  "folders",
  "Manage the folders of evaluators.",
  resourceCommands("folder", async () => (await load()).folders, { project })
)
