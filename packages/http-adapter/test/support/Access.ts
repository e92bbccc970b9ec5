/** Paths and credentials for tests of access. */
import { endpoints } from "../../src/routes/index.js"
import { type RequestOptions, type TestServer } from "./TestServer.js"

/** An endpoint asked for a thing that is not there, with a body in which everything is missing. */
export const ask = (server: TestServer, { method, path }: (typeof endpoints)[number], asked: RequestOptions) =>
  server.send(method, path.replace(":id", "999999999"), {
    ...asked,
    ...(method === "POST" || method === "PATCH" ? { json: {} } : {})
  })
