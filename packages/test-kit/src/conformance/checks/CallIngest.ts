/** E10: deliveries, redeliveries and their fields. */
import { type Check, checksOf } from "../Check.js"
import { bodyOf, expectDetail, expectFieldErrors, expectOnlyFieldErrors, expectEqual, expectTrue } from "../Expect.js"
import { PATHS } from "../Fixture.js"
import { listAt } from "../../Documents.js"
import { invalidIngestFields } from "../../calls/IngestBodies.js"
import { expectCall, messages, talk, rejected, email, ssn, secretsIn } from "./CallSupport.js"

/** Limits of texts: how long one may be, and with what the fault has to be keyed. */
const limit =
  (field: string, max: number): Check["run"] =>
  async (fixture) => {
    const filled = (length: number) => (field === "call_id" ? fixture.callId().padEnd(length, "x") : "x".repeat(length))
    const longest = filled(max)
    const made = await fixture.ingest({ call_id: fixture.callId(), [field]: longest })
    expectEqual(field, made[field], longest)
    // Characters are counted, whatever they are made of.
    const emoji = "😀".repeat(max - 30) + fixture.callId().slice(-30).padStart(30, "-")
    if (field === "call_id") expectEqual(field, (await fixture.ingest({ call_id: emoji })).call_id, emoji)
    expectFieldErrors(await rejected(fixture, { [field]: filled(max + 1) }), field)
    if (field !== "call_id") expectFieldErrors(await rejected(fixture, { [field]: "😀".repeat(max + 1) }), field)
  }

/** A multipart body; a field that is given twice is a list. */
const parts = (...fields: ReadonlyArray<readonly [name: string, value: string | Blob]>): FormData => {
  const form = new FormData()
  for (const [name, value] of fields) {
    if (typeof value === "string") form.append(name, value)
    else form.append(name, value, "part.bin")
  }
  return form
}

export const callIngest = checksOf("E10", {
  "new-201": [
    "answers 201 with a complete call record to a new call",
    async (fixture) => {
      const call_id = fixture.callId()
      const reply = await fixture.post(PATHS.observe, { call_id, agent: await fixture.agent() })
      const made = bodyOf(reply, 201)
      fixture.deleteAtEnd(`${PATHS.calls}${String(made.id)}/`)
      expectCall(made)
      expectEqual("call_id", made.call_id, call_id)
      expectEqual("success", [made.success, made.status, made.is_reviewed], [null, null, false])
      expectEqual("trace_id", made.trace_id, "")
    }
  ],
  "redelivered-200": [
    "answers 200 with the same record to a redelivered call",
    async (fixture) => {
      const call_id = fixture.callId()
      const first = await fixture.ingest({ call_id, transcript_json: talk })
      const body = { call_id, agent: await fixture.agent(), transcript_json: talk }
      const again = bodyOf(await fixture.post(PATHS.observe, body), 200)
      expectEqual("id", again.id, first.id)
      const more = bodyOf(await fixture.post(PATHS.observe, { ...body, call_ended_reason: "hangup" }), 200)
      expectEqual("call_ended_reason", [more.id, more.call_ended_reason], [first.id, "hangup"])
    }
  ],
  "redelivery-merges": [
    "a redelivery replaces the fields that it has and keeps the others",
    async (fixture) => {
      const call_id = fixture.callId()
      const given = {
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
        call_ended_reason: "hangup",
        customer_number: "+15550144",
        feedback: "Friendly",
        timestamp: "2026-03-01T10:00:00Z",
        transcript_json: talk
      }
      const documents = { metadata: { region: "eu" }, dynamic_variables: { tier: "gold" } }
      const first = await fixture.ingest({ call_id, ...given, ...documents })
      /** What of the record is a person's to compare, and whether documents, which no record shows, are found by filter. */
      const seen = async () => {
        const call = bodyOf(await fixture.get(`${PATHS.calls}${String(first.id)}/`), 200)
        const conditions = [
          { field: "id", op: "eq", value: first.id },
          { field: "metadata.region", op: "eq", value: "eu" },
          { field: "dynamic_variables.tier", op: "eq", value: "gold" }
        ]
        const filter = encodeURIComponent(JSON.stringify({ operator: "and", conditions }))
        const found = bodyOf(await fixture.get(`${PATHS.calls}?filters_v2=${filter}`), 200)
        const names = [...Object.keys(given).slice(0, 5), "transcript_object", "duration"]
        return [...names.map((name) => [name, call[name]]), listAt(found, "results").length]
      }
      const before = await seen()
      expectEqual("calls that are found by metadata and dynamic_variables", before.at(-1), 1)
      const agent = await fixture.agent()
      // Null is the same as leaving a field out.
      const nothing = Object.fromEntries(Object.keys({ ...given, ...documents }).map((name) => [name, null]))
      for (const body of [{}, nothing, { transcript_json: [] }]) {
        expectEqual("id", bodyOf(await fixture.post(PATHS.observe, { call_id, agent, ...body }), 200).id, first.id)
        expectEqual(`what is kept after ${JSON.stringify(body)}`, await seen(), before)
      }
      const more = { call_ended_reason: "transfer", customer_number: "+15550145", metadata: { region: "us" } }
      const changed = bodyOf(await fixture.post(PATHS.observe, { call_id, agent, ...more }), 200)
      expectEqual("what was told", [changed.call_ended_reason, changed.customer_number], ["transfer", "+15550145"])
      expectEqual("what was not", [changed.trace_id, changed.feedback], [given.trace_id, given.feedback])
      expectEqual("calls that are found by metadata they had", (await seen()).at(-1), 0)
    }
  ],
  "assistant-id": [
    "identifies the agent by the provider's assistant_id",
    async (fixture) => {
      const made = await fixture.ingest({
        call_id: fixture.callId(),
        agent: null,
        assistant_id: await fixture.assistant()
      })
      expectEqual("agent", made.agent, await fixture.agent())
      expectFieldErrors(await rejected(fixture, { agent: null, assistant_id: "nobody" }), "assistant_id")
    }
  ],
  "agent-or-assistant": [
    "requires agent or assistant_id",
    async (fixture) => {
      expectOnlyFieldErrors(await fixture.post(PATHS.observe, { call_id: fixture.callId() }), "agent", "assistant_id")
    }
  ],
  "unknown-agent": [
    "rejects an agent of another organization under agent",
    async (fixture) => expectOnlyFieldErrors(await rejected(fixture, { agent: fixture.unknownId }), "agent")
  ],
  "call-id-limit": ["requires call_id, with at most 100 characters", limit("call_id", 100)],
  "trace-id-limit": ["limits trace_id to 32 characters", limit("trace_id", 32)],
  "call-ended-reason-limit": ["limits call_ended_reason to 100 characters", limit("call_ended_reason", 100)],
  "customer-number-limit": ["limits customer_number to 100 characters", limit("customer_number", 100)],
  "every-error": [
    "reports every invalid field of a body at once",
    async (fixture) =>
      expectOnlyFieldErrors(
        await fixture.post(PATHS.observe, {
          agent: fixture.unknownId,
          transcript_type: "provider_z",
          trace_id: "x".repeat(33),
          timestamp: "noon",
          redact_fields: ["shoe"]
        }),
        "agent",
        "call_id",
        "redact_fields[0]",
        "timestamp",
        "trace_id",
        "transcript_type"
      )
  ],
  "hostile-values": [
    "reports an invalid value of any field under its path",
    async (fixture) => {
      for (const [wrong, field, value, path] of invalidIngestFields) {
        // The message as a whole is refused before its fields are looked at.
        if (wrong.startsWith("metadata nested")) continue
        expectFieldErrors(await rejected(fixture, { [field]: value }), path ?? field)
      }
    }
  ],
  "read-only-ignored": [
    "ignores read-only and unknown fields",
    async (fixture) => {
      const made = await fixture.ingest({
        call_id: fixture.callId(),
        id: 7,
        duration: "99:99",
        evaluation: [],
        color: 1
      })
      expectTrue("the id is the one that was sent", made.id !== 7)
      expectEqual("duration", made.duration, "00:00")
    }
  ],
  "form-rejected": [
    "answers 415 to form-urlencoded bodies and accepts multipart ones",
    async (fixture) => {
      const fields = { call_id: fixture.callId(), agent: await fixture.agent() }
      expectDetail(await fixture.ask("POST", PATHS.observe, { form: fields }), 415)
      const made = bodyOf(await fixture.ask("POST", PATHS.observe, { multipart: fields }), 201)
      fixture.deleteAtEnd(`${PATHS.calls}${String(made.id)}/`)
    }
  ],
  multipart: [
    "accepts documents as JSON text or files and repeated fields as lists in multipart bodies, with the errors of JSON",
    async (fixture) => {
      const agent = String(await fixture.agent())
      const transcript_json = secretsIn.service
      for (const transcript of [JSON.stringify(transcript_json), new Blob([JSON.stringify(transcript_json)])]) {
        const call_id = fixture.callId()
        const body = parts(
          ["call_id", call_id],
          ["agent", agent],
          ["transcript_json", transcript],
          ["metadata", JSON.stringify({ region: "eu", call: call_id })],
          ["redact_fields", "ssn"],
          ["redact_fields", "email_address"]
        )
        const made = bodyOf(await fixture.ask("POST", PATHS.observe, { body }), 201)
        fixture.deleteAtEnd(`${PATHS.calls}${String(made.id)}/`)
        expectEqual("the number of turns", listAt(made, "transcript_object").length, 4)
        const kept = [ssn, email, "That is all."].filter((one) => String(made.transcript).includes(one))
        expectEqual("what is left of the transcript", kept, ["That is all."])
        const filter = JSON.stringify({ field: "metadata.call", op: "eq", value: call_id })
        const found = bodyOf(await fixture.get(`${PATHS.calls}?filters_v2=${encodeURIComponent(filter)}`), 200)
        expectEqual("calls that are found by metadata", listAt(found, "results").length, 1)
      }
      const errors: ReadonlyArray<readonly [field: string, value: string | Blob, path?: string]> = [
        ["redact_fields", "shoe_size", "redact_fields[0]"],
        ["transcript_json", "[{"],
        ["transcript_json", JSON.stringify([messages("agent", "Hi", 0, 1)]), "transcript_json[0].role"],
        ["main_agent_channel_index", "2"],
        ["timestamp", "noon"],
        ["voice_recording", new Blob(["no audio"])]
      ]
      for (const [field, value, path] of errors) {
        const body = parts(["call_id", fixture.callId()], ["agent", agent], [field, value])
        expectOnlyFieldErrors(await fixture.ask("POST", PATHS.observe, { body }), path ?? field)
      }
    }
  ],
  "metric-ids": [
    "metric_ids is a comma-separated list of the agent's metrics",
    async (fixture) => {
      const id = await fixture.numericMetric()
      await fixture.ingest({ call_id: fixture.callId(), metric_ids: `${id}, ${id}` })
      for (const ids of [`${id};${id}`, "one", [id], String(fixture.unknownId), `${id},${fixture.unknownId}`]) {
        expectFieldErrors(await rejected(fixture, { metric_ids: ids }), "metric_ids")
      }
    }
  ]
})
