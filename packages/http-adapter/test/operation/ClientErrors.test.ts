import { PassThrough } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import { makeClientErrorHandler } from "../../src/clientErrors.js"

it("connections that are too slow are closed over several turns of the event loop, and read no further meanwhile", async () => {
  const handle = makeClientErrorHandler({ "x-content-type-options": "nosniff" })
  const connections = Array.from({ length: 120 }, () => new PassThrough())
  const closed = () => connections.filter(({ writableEnded }) => writableEnded).length
  for (const connection of connections) {
    handle(Object.assign(new Error("Test"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), connection)
  }
  expect(closed()).toBe(0)
  expect(connections.every((connection) => connection.isPaused())).toBe(true)
  const counts: Array<number> = []
  for (let turn = 0; turn < 4; turn++) {
    await setImmediate()
    counts.push(closed())
  }
  expect(Math.max(...counts)).toBe(120)
  // Whether the first of them are closed before or after the test goes on is up to the event loop.
  expect(counts.map((count, turn) => count - (counts[turn - 1] ?? 0)).every((count) => count <= 50)).toBe(true)
  expect(connections.some((connection) => connection.isPaused())).toBe(false)
})

it("what is not valid HTTP is answered and closed at once", () => {
  const connection = new PassThrough()
  makeClientErrorHandler({})(Object.assign(new Error("Test"), { code: "HPE_INVALID_METHOD" }), connection)
  expect(String(connection.read())).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(connection.writableEnded).toBe(true)
})
