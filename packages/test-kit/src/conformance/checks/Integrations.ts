/** Integrations, and the signed requests of platforms to their addresses. */
import { createHmac } from "node:crypto"
import { type Fixture, PATHS } from "../Fixture.js"
import {
  bodyOf,
  expectDetail,
  expectEqual,
  expectFieldErrors,
  expectNoBody,
  expectStatus,
  expectTrue,
  Skipped
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { at } from "../../Documents.js"

const SECRET = "key_of_the_conformance_checks"

/** An integration of Retell, whose requests are signed with its secret. */
const integration = async (fixture: Fixture, fields: object = {}) => {
  const draft = { platform: "retell", agent: await fixture.agent(), secret: SECRET, ...fields }
  const reply = await fixture.post(PATHS.integrations, draft)
  if (reply.status === 404 || reply.status === 405) throw new Skipped(`the server has no ${PATHS.integrations}`)
  if (reply.status === 400 && at(reply.json, "non_field_errors") !== undefined)
    throw new Skipped("the server has no key to encrypt secrets with")
  const made = bodyOf(reply, 201)
  fixture.deleteAtEnd(`${PATHS.integrations}${String(made.id)}/`)
  return { made, path: `${PATHS.integrations}${String(made.id)}/`, address: `${PATHS.hooks}${String(made.public_id)}/` }
}

/** The event of a call that has ended, as Retell sends it. */
const eventOf = (id: string): string =>
  JSON.stringify({
    event: "call_ended",
    call: {
      call_id: id,
      transcript_object: [
        { role: "agent", content: "Hello.", words: [{ word: "Hello.", start: 0.1, end: 0.6 }] },
        { role: "user", content: "A table for two.", words: [{ word: "table", start: 1, end: 2 }] }
      ]
    }
  })

/** Source: Retell's documentation of webhooks: HMAC-SHA256 of the body and the time in milliseconds. */
const signatureOf = (body: string, secret: string, time = Date.now()): string =>
  `v=${time},d=${createHmac("sha256", secret).update(`${body}${time}`).digest("hex")}`

const send = (fixture: Fixture, address: string, body: string, signature: string | null) =>
  fixture.ask("POST", address, {
    key: null,
    headers: { "content-type": "application/json", ...(signature === null ? {} : { "x-retell-signature": signature }) },
    body
  })

export const integrations = checksOf("integrations", {
  stored: [
    "an integration is read, listed and changed without its secret, and is gone once deleted",
    async (fixture) => {
      const { made, path } = await integration(fixture, { name: "Desk", redact_fields: ["ssn"] })
      expectEqual("the secret that the request gave", made.secret, null)
      const read = bodyOf(await fixture.get(path), 200)
      expectTrue("the secret is shown", !JSON.stringify(read).includes(SECRET) && read.secret === undefined)
      expectEqual("what was given", [read.name, read.redact_fields, read.id], ["Desk", ["ssn"], made.id])
      const listed = await fixture.get(`${PATHS.integrations}?limit=200`)
      expectTrue("a list shows a secret", !listed.text.includes(SECRET))
      expectEqual("the new name", bodyOf(await fixture.patch(path, { name: "Front desk" }), 200).name, "Front desk")
      expectFieldErrors(await fixture.post(PATHS.integrations, {}), "platform")
      expectFieldErrors(await fixture.post(PATHS.integrations, { platform: "fax" }), "platform")
      expectNoBody(await fixture.ask("DELETE", path), 204)
      expectDetail(await fixture.get(path), 404)
    }
  ],
  signed: [
    "a request to the address of an integration is accepted with a valid signature of its body alone, and has an effect once",
    async (fixture) => {
      const { address } = await integration(fixture)
      const id = fixture.callId()
      const body = eventOf(id)
      for (const signature of [
        null,
        "",
        "v=1,d=00",
        signatureOf(body, "another_secret_of_this_length"),
        signatureOf(`${body} `, SECRET),
        signatureOf(body, SECRET, Date.now() - 3_600_000),
        signatureOf(body, SECRET).replace(/d=.*/, `d=${"0".repeat(64)}`)
      ]) {
        expectStatus(await send(fixture, address, body, signature), 401)
      }
      expectStatus(await send(fixture, `${PATHS.hooks}unknown/`, body, signatureOf(body, SECRET)), 401, 404)
      const signature = signatureOf(body, SECRET)
      const receipt = bodyOf(await send(fixture, address, body, signature), 200)
      expectEqual("the outcome", [receipt.outcome, at(receipt, "call", "call_id")], ["stored", id])
      const path = `${PATHS.calls}${String(at(receipt, "call", "id"))}/`
      fixture.deleteAtEnd(path)
      const repeated = bodyOf(await send(fixture, address, body, signature), 200)
      expectEqual("a repeated request", [repeated.outcome, repeated.call], ["repeated", null])
      const call = bodyOf(await fixture.get(path), 200)
      expectEqual("the stored call", [call.call_id, call.agent], [id, await fixture.agent()])
      // A redelivery that is signed anew updates the same call.
      const again = bodyOf(await send(fixture, address, body, signatureOf(body, SECRET, Date.now() + 1)), 200)
      expectEqual("a redelivery", [at(again, "call", "id"), at(again, "call", "created")], [call.id, false])
    }
  ],
  rotated: [
    "a replaced secret is valid for as long as its rotation says, and no secret after the deletion",
    async (fixture) => {
      const { address, path } = await integration(fixture)
      const skipped = JSON.stringify({ event: "call_started", call: { call_id: fixture.callId() } })
      let time = Date.now()
      const status = async (secret: string) =>
        (await send(fixture, address, skipped, signatureOf(skipped, secret, ++time))).status
      const rotate = (secret: string, previous_valid_seconds: number) =>
        fixture.post(`${path}rotate_secret/`, { secret, previous_valid_seconds })
      bodyOf(await rotate("second_secret_of_the_checks", 3600), 200)
      expectEqual("both secrets", [await status(SECRET), await status("second_secret_of_the_checks")], [200, 200])
      bodyOf(await rotate("third_secret_of_the_checks", 0), 200)
      expectEqual(
        "the replaced secrets and the new one",
        [await status(SECRET), await status("second_secret_of_the_checks"), await status("third_secret_of_the_checks")],
        [401, 401, 200]
      )
      expectNoBody(await fixture.ask("DELETE", path), 204)
      expectStatus(await send(fixture, address, skipped, signatureOf(skipped, "third_secret_of_the_checks")), 401, 404)
    }
  ]
})
