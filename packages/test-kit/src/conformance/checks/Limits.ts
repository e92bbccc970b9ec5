/** What a server takes of one caller: how large a body may be, and how often a credential may ask. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Check, checksOf } from "../Check.js"
import type { Reply } from "../Client.js"
import { expectDetail, expectStatus, expectTrue, Mismatch, shown, Skipped } from "../Expect.js"
import { PATHS, type Fixture } from "../Fixture.js"

/** What a server of Earshot's takes unless it is told otherwise. Source: docs/http.md, Limits. */
const DEFAULT_BODY = 10 * 1024 * 1024

const JSON_TYPE = { "content-type": "application/json" }
const BOUNDARY = "conformance"
const MULTIPART_TYPE = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }

/** A body of exactly so many bytes that makes nothing: it leaves out what a dashboard needs. */
const jsonOf = (bytes: number): string => {
  const [before, after] = ['{"padding": "', '"}']
  return `${before}${"x".repeat(bytes - before.length - after.length)}${after}`
}

const multipartOf = (bytes: number): string => {
  const before = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="padding.bin"\r\n\r\n`
  const after = `\r\n--${BOUNDARY}--\r\n`
  return `${before}${"x".repeat(bytes - before.length - after.length)}${after}`
}

/** Fewer bytes hold no body that could be tried. */
const LEAST_BYTES = 1000

/** Tries a body that is as large as it may be, and one of a byte more. */
const tryBodies = async (
  fixture: Fixture,
  limit: { readonly bytes: number; readonly isGiven: boolean; readonly option: string },
  send: (bytes: number) => Promise<Reply>
): Promise<void> => {
  const { bytes, isGiven, option } = limit
  if (bytes < LEAST_BYTES) throw new Skipped(`a limit of fewer than ${LEAST_BYTES} bytes leaves nothing to try`)
  const over = await send(bytes + 1)
  if (!isGiven && over.status !== 413)
    throw new Skipped(`the server takes more than ${bytes} bytes (${over.status}); tell its limit with ${option}`)
  expectDetail(over, 413)
  expectStatus(await send(bytes), 400)
  // It has not made up its mind about whoever sent too much.
  expectStatus(await fixture.get(PATHS.predefined), 200)
}

const sizes = checksOf("limits", {
  body: [
    "accepts a JSON body at the server's limit, and answers 413 with a detail one byte above",
    async (fixture) => {
      const given = fixture.limits.bodyBytes
      const limit = { bytes: given ?? DEFAULT_BODY, isGiven: given !== undefined, option: "--max-body" }
      await tryBodies(fixture, limit, (bytes) =>
        fixture.ask("POST", PATHS.dashboards, { headers: JSON_TYPE, body: jsonOf(bytes) })
      )
    }
  ],
  upload: [
    "accepts a multipart body at the server's limit, and answers 413 with a detail one byte above",
    async (fixture) => {
      const { uploadBytes } = fixture.limits
      if (uploadBytes === undefined) throw new Skipped("the limit of uploads was not told: name it with --max-upload")
      await tryBodies(fixture, { bytes: uploadBytes, isGiven: true, option: "--max-upload" }, (bytes) =>
        fixture.ask("POST", PATHS.dashboards, { headers: MULTIPART_TYPE, body: multipartOf(bytes) })
      )
    }
  ]
})

/** The longest that a caller may be asked to wait, where so many requests a minute are let in. */
const MINUTE = 60

/** Requests that are sent at once, so that an allowance is spent long before its minute is over. */
const AT_ONCE = 10

const rate = checksOf("limits", {
  rate: [
    "answers 429 with Retry-After above the rate limit, and accepts requests after that time",
    async (fixture) => {
      const { requestsPerMinute: allowance } = fixture.limits
      if (allowance === undefined)
        throw new Skipped("it was not told that the server limits rates: say how many a minute with --rate-limit")
      const key = async () => String((await fixture.make(PATHS.keys, { name: "Spent" })).api_key)
      const [spent, other] = [await key(), await key()]
      const knock = (as: string) => fixture.get(PATHS.predefined, { key: as, returnsThrottled: true })

      for (let sent = 0; sent < allowance; sent += AT_ONCE) {
        const some = Array.from({ length: Math.min(AT_ONCE, allowance - sent) }, () => knock(spent))
        for (const reply of await Promise.all(some)) expectStatus(reply, 200)
      }
      // One more, or where a server counts in another way, so many more.
      let throttled = await knock(spent)
      for (let more = 1; throttled.status !== 429 && more <= allowance; more++) throttled = await knock(spent)
      if (throttled.status !== 429)
        throw new Mismatch(`${2 * allowance + 1} requests of one key were let in; expected 429 after ${allowance}`)
      expectDetail(throttled, 429)
      const wait = throttled.headers.get("retry-after")
      if (wait === null || !/^[1-9]\d*$/.test(wait) || Number(wait) > MINUTE)
        throw new Mismatch(`Retry-After is ${shown(wait ?? undefined)}; expected whole seconds from 1 to ${MINUTE}`)
      expectStatus(await knock(other), 200)

      await sleep(Number(wait) * 1000)
      const again = await knock(spent)
      expectTrue(`${wait} seconds later the key is still answered ${again.status}`, again.status === 200)
    }
  ]
})

export const limits: ReadonlyArray<Check> = [...sizes, ...rate]
