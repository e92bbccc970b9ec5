import { choice, command, group, text } from "./Declare.js"
import { common, storage, id, json, outbound, page } from "./Shared.js"

const load = () => import("../actions/Jobs.js")

export const jobs = group("jobs", "List, retry and run background jobs.", [
  command("list", {
    description: "List jobs, newest first. --state dead lists those that have failed for good.",
    options: {
      ...common,
      state: choice("--state <state>", "Only jobs in this state.", ["queued", "running", "succeeded", "dead"]),
      kind: text("--kind <kind>", "Only jobs of this kind."),
      ...page
    },
    action: async () => (await load()).list
  }),
  command("retry", {
    description: "Queue a dead job again, with all its attempts.",
    options: common,
    args: { id: id("job") },
    action: async () => (await load()).retry
  }),
  command("run", {
    description: "Run due jobs and exit. A running server does this continuously.",
    options: { ...storage, json, ...outbound },
    action: async () => (await import("../actions/RunJobs.js")).run
  })
])
