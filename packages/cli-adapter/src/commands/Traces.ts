import { choice, group } from "./Declare.js"
import { readCommands } from "./Resource.js"

export const traces = group(
  "traces",
  "Show what was received of the OpenTelemetry spans of each call.",
  readCommands("trace", () => import("../actions/Traces.js"), {
    state: choice("--state <state>", "Only traces in this state.", ["collecting", "stored", "failed", "closed"])
  })
)
