/** Recordings that are read back. */
import { type Fixture, PATHS } from "../Fixture.js"
import { wav } from "../../calls/Audio.js"
import type { Reply } from "../Client.js"
import { bodyOf, expectDetail, expectEqual, expectNoBody, expectStatus, expectTrue, Skipped } from "../Expect.js"
import { checksOf } from "../Check.js"

const file = wav(1)

/** A call with a recording of a second; its path. */
const recorded = async (fixture: Fixture) => {
  const reply = await fixture.ask("POST", PATHS.observe, {
    multipart: { call_id: fixture.callId(), agent: await fixture.agent(), voice_recording: new Blob([file]) }
  })
  const call = `${PATHS.calls}${String(bodyOf(reply, 201).id)}/`
  fixture.deleteAtEnd(call)
  const path = `${call}recording/`
  const whole = await fixture.get(path)
  if (whole.status === 405 || whole.status === 404) throw new Skipped(`the server has no ${PATHS.calls}{id}/recording/`)
  return { call, path, whole }
}

const header = ({ headers }: Reply, name: string): string => headers.get(name) ?? ""

export const recordings = checksOf("recordings", {
  read: [
    "a recording is read whole and by range, and not sent again to a client that has it",
    async (fixture) => {
      const { path, whole } = await recorded(fixture)
      expectStatus(whole, 200)
      expectEqual("Content-Type", header(whole, "content-type"), "audio/wav")
      expectEqual("Content-Length", header(whole, "content-length"), String(file.length))
      const part = await fixture.get(path, { headers: { range: "bytes=0-3" } })
      expectStatus(part, 206)
      expectEqual("the range", [part.text, header(part, "content-range")], ["RIFF", `bytes 0-3/${file.length}`])
      expectStatus(await fixture.get(path, { headers: { range: `bytes=${file.length}-` } }), 416)
      const etag = header(whole, "etag")
      expectTrue("a recording has no ETag", etag !== "")
      expectNoBody(await fixture.get(path, { headers: { "if-none-match": etag } }), 304)
      const silent = await fixture.ingest({ call_id: fixture.callId() })
      expectDetail(await fixture.get(`${PATHS.calls}${String(silent.id)}/recording/`), 404)
    }
  ],
  signed: [
    "a signed URL reads one recording without a credential, and none with another token or after the deletion",
    async (fixture) => {
      const { call, path } = await recorded(fixture)
      const url = String(bodyOf(await fixture.post(`${path}url/`, { ttl: 60 }), 201).url)
      const read = (address: string) => fixture.get(address, { key: null })
      expectEqual("Content-Length", header(await read(url), "content-length"), String(file.length))
      for (const other of [url.replace(/token=.*/, "token=x"), url.replace(/token=.*/, "token=")])
        expectStatus(await read(other), 401, 403, 404)
      expectStatus(await fixture.post(`${path}url/`, { ttl: 3601 }), 400)
      expectNoBody(await fixture.ask("DELETE", call), 204)
      expectStatus(await read(url), 401, 403, 404)
      expectDetail(await fixture.get(path), 404)
    }
  ]
})
