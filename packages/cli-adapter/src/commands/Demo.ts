import { command, integer, toggle } from "./Declare.js"

export const demo = command("demo", {
  description:
    "Show what Earshot does: ingest sample calls, redact one, score, filter and chart them, and serve them over HTTP. Uses a temporary database that is removed at the end.",
  options: {
    noServe: toggle("--no-serve", "Stop before the server starts."),
    port: integer("--port <port>", "Port of the server. (default: 8080, or a free port if it is taken)", {
      least: 0,
      most: 65_535
    })
  },
  action: async () => (await import("../actions/Demo.js")).demo
})
