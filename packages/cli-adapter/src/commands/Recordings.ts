import { command, group, toggle } from "./Declare.js"
import { collectAfter, json, recordingsFolder, storage } from "./Shared.js"

const load = () => import("../actions/Recordings.js")

export const recordings = group("recordings", "Compare stored recordings with the calls that refer to them.", [
  command("check", {
    description:
      "Count recordings without a call, and calls whose recording is missing. Exit code 1 if any is missing.",
    options: {
      ...storage,
      json,
      recordings: recordingsFolder,
      remove: toggle("--remove", "Remove the recordings without a call."),
      collectAfter
    },
    action: async () => (await load()).check
  })
])
