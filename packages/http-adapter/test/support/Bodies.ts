/** Bodies for tests of invalid input. */
import type { RequestOptions } from "./TestServer.js"

export const withType = (type: string, body: string | Uint8Array): RequestOptions => ({
  headers: { "content-type": type },
  body
})

export const json = (body: string | Uint8Array): RequestOptions => withType("application/json", body)
