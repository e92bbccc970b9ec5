import type { endpoints } from "../../src/routes/index.js"
import type { RequestOptions, TestServer } from "./TestServer.js"

/** Sends a request for an unknown id with an empty body. */
export const ask = (server: TestServer, { method, path }: (typeof endpoints)[number], asked: RequestOptions) =>
  server.send(method, path.replace(":id", "999999999"), {
    ...asked,
    ...(method === "POST" || method === "PATCH" ? { json: {} } : {})
  })
