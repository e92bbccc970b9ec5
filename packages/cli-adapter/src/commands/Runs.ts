import { choice, command, group, idArgument, idArguments, integer } from "./Declare.js"
import { common, id, output, page, recordingsFolder } from "./Shared.js"

const load = () => import("../actions/Results.js")

export const runs = group("runs", "List, show, cancel and delete the runs (simulated calls) of results.", [
  command("list", {
    description: "List runs, newest first.",
    options: {
      ...common,
      result: integer("--result <id>", "Only runs of this result."),
      status: choice("--status <status>", "Only runs with this status.", [
        "queued",
        "running",
        "evaluating",
        "completed",
        "failed",
        "timeout",
        "cancelled"
      ]),
      ...page
    },
    action: async () => (await load()).listRuns
  }),
  command("show", {
    description: "Show a run with its scores and transcript.",
    options: common,
    args: { id: id("run") },
    action: async () => (await load()).showRun
  }),
  command("recording", {
    description: "Save the recording of a run by voice: the testing agent left, the agent right.",
    options: { ...common, recordings: recordingsFolder, output },
    args: { id: id("run") },
    action: async () => (await import("../actions/SaveRecording.js")).saveRecording("run")
  }),
  command("cancel", {
    description: "Cancel an unfinished run.",
    options: common,
    args: { id: id("run") },
    action: async () => (await load()).cancelRun
  }),
  command("delete", {
    description: "Delete runs of a result and recalculate the result.",
    options: common,
    args: { id: idArgument("result", "Id of the result."), runs: idArguments("run", "Ids of runs, up to 100.") },
    action: async () => (await load()).removeRuns
  })
])
