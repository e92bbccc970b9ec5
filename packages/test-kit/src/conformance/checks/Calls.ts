/** E10 and the call logs. */
import * as fc from "fast-check"
import { wav } from "../../calls/Audio.js"
import { flaws } from "../../calls/IngestBodies.js"
import { at, listAt } from "../../Documents.js"
import { payloadOf } from "../../transcripts/Payloads.js"
import { type Check, checksOf } from "../Check.js"
import {
  any,
  bodyOf,
  bool,
  expectDetail,
  expectFaults,
  expectFaultWithin,
  expectNoBody,
  expectOnlyFaults,
  expectSame,
  expectShape,
  expectStatus,
  expectTrue,
  instant,
  int,
  type Kind,
  list,
  matching,
  oneOf,
  orNull,
  shortText,
  Skipped,
  text
} from "../Expect.js"
import { roleNames, sensitive, TRANSCRIPT_TYPES } from "../Interface.js"
import { PATHS, type World } from "../World.js"

/** Source: interface, Call record. */
const callRecord: Readonly<Record<string, Kind>> = {
  id: int,
  call_id: shortText(100),
  duration: matching(/^\d{2,}:[0-5]\d$/, "minutes and seconds, MM:SS"),
  success: orNull(bool),
  is_reviewed: bool,
  status: orNull(oneOf("success", "failure", "reviewed_success", "reviewed_failure")),
  feedback: text,
  metrics: list,
  call_ended_reason: shortText(100),
  customer_number: shortText(100),
  agent: orNull(int),
  agent_name: text,
  trace_id: shortText(32),
  timestamp: instant,
  error_message: orNull(text),
  dropoff_point: shortText(1000),
  topic: shortText(1000),
  transcript: text,
  transcript_object: orNull(list),
  evaluation: any,
  created_at: instant,
  updated_at: instant
}

const said = (role: string, content: string, start_time: number, end_time: number) => ({
  role,
  content,
  start_time,
  end_time
})

const talk = [
  said("Testing Agent", "Do you have a table for two?", 0, 2.1),
  said("Main Agent", "At eight, by the window.", 62.6, 64.4)
]

/** A delivery that has to be refused, and leave nothing. */
const refused = async (world: World, body: object) =>
  world.post(PATHS.observe, { call_id: world.callId(), agent: await world.agent(), ...body })

/** Limits of texts: how long one may be, and with what the fault has to be keyed. */
const limit =
  (field: string, max: number): Check["run"] =>
  async (world) => {
    const filled = (length: number) => (field === "call_id" ? world.callId().padEnd(length, "x") : "x".repeat(length))
    const longest = filled(max)
    const made = await world.ingest({ call_id: world.callId(), [field]: longest })
    expectSame(field, made[field], longest)
    // Characters are counted, whatever they are made of.
    const emoji = "😀".repeat(max - 30) + world.callId().slice(-30).padStart(30, "-")
    if (field === "call_id") expectSame(field, (await world.ingest({ call_id: emoji })).call_id, emoji)
    expectFaults(await refused(world, { [field]: filled(max + 1) }), field)
    if (field !== "call_id") expectFaults(await refused(world, { [field]: "😀".repeat(max + 1) }), field)
  }

const observe = checksOf("E10", {
  "new-201": [
    "a new call is answered with 201 and a whole Call record",
    async (world) => {
      const call_id = world.callId()
      const reply = await world.post(PATHS.observe, { call_id, agent: await world.agent() })
      const made = bodyOf(reply, 201)
      world.owes(`${PATHS.calls}${String(made.id)}/`)
      expectShape("the call", made, callRecord)
      expectSame("call_id", made.call_id, call_id)
      expectSame("success", [made.success, made.status, made.is_reviewed], [null, null, false])
      expectSame("trace_id", made.trace_id, "")
    }
  ],
  "repeat-200": [
    "a call delivered again is answered with 200 and is the one record",
    async (world) => {
      const call_id = world.callId()
      const first = await world.ingest({ call_id, transcript_json: talk })
      const body = { call_id, agent: await world.agent(), transcript_json: talk }
      const again = bodyOf(await world.post(PATHS.observe, body), 200)
      expectSame("id", again.id, first.id)
      const more = bodyOf(await world.post(PATHS.observe, { ...body, call_ended_reason: "hangup" }), 200)
      expectSame("call_ended_reason", [more.id, more.call_ended_reason], [first.id, "hangup"])
    }
  ],
  "assistant-id": [
    "the agent may be named by its provider's assistant_id",
    async (world) => {
      const made = await world.ingest({ call_id: world.callId(), agent: null, assistant_id: await world.assistant() })
      expectSame("agent", made.agent, await world.agent())
      expectFaults(await refused(world, { agent: null, assistant_id: "nobody" }), "assistant_id")
    }
  ],
  "agent-or-assistant": [
    "without agent and assistant_id both are faults",
    async (world) => {
      expectOnlyFaults(await world.post(PATHS.observe, { call_id: world.callId() }), "agent", "assistant_id")
    }
  ],
  "unknown-agent": [
    "an agent that is not the organisation's is a fault of the field agent",
    async (world) => expectOnlyFaults(await refused(world, { agent: world.nobody }), "agent")
  ],
  "call-id-limit": ["call_id is required and has at most 100 characters", limit("call_id", 100)],
  "trace-id-limit": ["trace_id has at most 32 characters", limit("trace_id", 32)],
  "call-ended-reason-limit": ["call_ended_reason has at most 100 characters", limit("call_ended_reason", 100)],
  "customer-number-limit": ["customer_number has at most 100 characters", limit("customer_number", 100)],
  "every-fault": [
    "every fault of a body is told at once, under its field",
    async (world) =>
      expectOnlyFaults(
        await world.post(PATHS.observe, {
          agent: world.nobody,
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
    "a wrong value in any field is a fault under that field's path",
    async (world) => {
      for (const [wrong, field, value, path] of flaws) {
        // The message as a whole is refused before its fields are looked at.
        if (wrong.startsWith("metadata nested")) continue
        expectFaults(await refused(world, { [field]: value }), path ?? field)
      }
    }
  ],
  "read-only-ignored": [
    "read-only and unknown fields of a body are passed over",
    async (world) => {
      const made = await world.ingest({ call_id: world.callId(), id: 7, duration: "99:99", evaluation: [], colour: 1 })
      expectTrue("the id is the one that was sent", made.id !== 7)
      expectSame("duration", made.duration, "00:00")
    }
  ],
  "form-refused": [
    "a form-urlencoded body is answered with 415, a multipart one is taken",
    async (world) => {
      const fields = { call_id: world.callId(), agent: await world.agent() }
      expectDetail(await world.ask("POST", PATHS.observe, { form: fields }), 415)
      const made = bodyOf(await world.ask("POST", PATHS.observe, { multipart: fields }), 201)
      world.owes(`${PATHS.calls}${String(made.id)}/`)
    }
  ],
  recording: [
    "a recording comes as a file in a multipart body, and its length is the call's duration",
    async (world) => {
      const reply = await world.ask("POST", PATHS.observe, {
        multipart: {
          call_id: world.callId(),
          agent: await world.agent(),
          main_agent_channel_index: 1,
          voice_recording: new Blob([wav(3, { channels: 2 })])
        }
      })
      const made = bodyOf(reply, 201)
      world.owes(`${PATHS.calls}${String(made.id)}/`)
      expectSame("duration", made.duration, "00:03")
    }
  ],
  "recording-url": [
    "a recording's URL may not lead into the server's own network",
    async (world) => {
      for (const url of ["http://127.0.0.1/a.wav", "http://[::1]/a.wav", "http://169.254.169.254/", "file:///a.wav"]) {
        expectFaults(await refused(world, { voice_recording_url: url }), "voice_recording_url")
      }
    }
  ],
  "channel-index": [
    "main_agent_channel_index is 0, 1 or null",
    async (world) => {
      for (const index of [0, 1, null]) {
        await world.ingest({ call_id: world.callId(), main_agent_channel_index: index })
      }
      for (const index of [-1, 2, 0.5, "left"]) {
        expectFaults(await refused(world, { main_agent_channel_index: index }), "main_agent_channel_index")
      }
    }
  ],
  "service-roles": [
    "the format service takes the roles Testing Agent and Main Agent only",
    async (world) => {
      for (const role of ["agent", "user", "main agent", "bot", ""]) {
        for (const type of [{}, { transcript_type: "service" }]) {
          const body = { ...type, transcript_json: [...talk, said(role, "Hi", 65, 66)] }
          expectFaultWithin(await refused(world, body), "transcript_json")
        }
      }
    }
  ],
  "transcript-text": [
    "transcript has a line [MM:SS] <role>: <text> a turn, transcript_object its turns in seconds, duration its end",
    async (world) => {
      const made = await world.ingest({ call_id: world.callId(), transcript_json: talk })
      expectSame(
        "transcript",
        made.transcript,
        "[00:00] Testing Agent: Do you have a table for two?\n[01:02] Main Agent: At eight, by the window."
      )
      expectSame("transcript_object", made.transcript_object, talk)
      expectSame("duration", made.duration, "01:04")
    }
  ],
  "transcript-type": [
    "an unknown transcript_type is a fault, and null means service",
    async (world) => {
      for (const type of ["provider_z", "", "constructor", 5]) {
        expectFaults(await refused(world, { transcript_type: type }), "transcript_type")
      }
      await world.ingest({ call_id: world.callId(), transcript_type: null, transcript_json: talk })
    }
  ],
  ...Object.fromEntries(
    TRANSCRIPT_TYPES.map((type) => [
      `format-${type}`,
      [
        `the format ${type} is decoded to its turns, with times in seconds`,
        async (world: World) => {
          for (const sample of fc.sample(payloadOf(type), { seed: 8, numRuns: 4 })) {
            const index = sample.context.mainAgentChannelIndex
            const made = await world.ingest({
              call_id: world.callId(),
              transcript_type: type,
              transcript_json: sample.payload,
              ...(index === undefined ? {} : { main_agent_channel_index: index })
            })
            expectSame(
              `transcript_object of ${JSON.stringify(sample.payload).slice(0, 200)}`,
              made.transcript_object,
              sample.turns.map((turn) => ({
                role: roleNames[turn.speaker],
                content: turn.content,
                start_time: turn.startTime ?? null,
                end_time: turn.endTime ?? null
              }))
            )
          }
        }
      ] as const
    ])
  ),
  "none-mono": [
    "none-mono without a recording is a fault",
    async (world) => expectStatus(await refused(world, { transcript_type: "none-mono" }), 400)
  ],
  timestamp: [
    "timestamp is kept as an instant, whatever offset it came with",
    async (world) => {
      const made = await world.ingest({ call_id: world.callId(), timestamp: "2026-03-01T12:00:00+02:00" })
      expectSame("timestamp", new Date(String(made.timestamp)).toISOString(), "2026-03-01T10:00:00.000Z")
      expectFaults(await refused(world, { timestamp: "2026-02-30T00:00:00Z" }), "timestamp")
    }
  ],
  "metric-ids": [
    "metric_ids is a comma-separated text of the agent's metrics",
    async (world) => {
      const id = await world.numericMetric()
      await world.ingest({ call_id: world.callId(), metric_ids: `${id}, ${id}` })
      for (const ids of [`${id};${id}`, "one", [id], String(world.nobody), `${id},${world.nobody}`]) {
        expectFaults(await refused(world, { metric_ids: ids }), "metric_ids")
      }
    }
  ],
  "redact-fields": [
    "redact_fields takes each field of the interface and no other",
    async (world) => {
      await world.ingest({ call_id: world.callId(), redact_fields: sensitive })
      expectFaults(await refused(world, { redact_fields: ["ssn", "shoe_size"] }), "redact_fields[1]")
      expectFaults(await refused(world, { redact_fields: "ssn" }), "redact_fields")
    }
  ],
  redaction: [
    "what redact_fields names is gone from the transcript, and what it does not name stays",
    async (world) => {
      const spoken = said("Testing Agent", "Write to ann.lee@example.com or 192.168.7.44 please.", 0, 30)
      const contents = async (redact_fields: ReadonlyArray<string> | undefined) => {
        const made = await world.ingest({
          call_id: world.callId(),
          transcript_json: [spoken],
          ...(redact_fields === undefined ? {} : { redact_fields })
        })
        return JSON.stringify([made.transcript, made.transcript_object])
      }
      const holds = async (fields: ReadonlyArray<string> | undefined) => {
        const found = await contents(fields)
        return [found.includes("ann.lee@example.com"), found.includes("192.168.7.44"), found.includes("please")]
      }
      expectSame("what is left without redact_fields", await holds(undefined), [true, true, true])
      expectSame("what is left of email_address", await holds(["email_address"]), [false, true, true])
      expectSame("what is left of ip_address", await holds(["ip_address"]), [true, false, true])
      expectSame("what is left of both", await holds(["ip_address", "email_address"]), [false, false, true])
    }
  ],
  "redaction-price": [
    "redaction is charged 0.4 credits a minute, flat however many fields, once however often delivered",
    async (world) => {
      const charges = async (
        fields: ReadonlyArray<string> | undefined,
        seconds: number
      ): Promise<ReadonlyArray<unknown>> => {
        const body = {
          call_id: world.callId(),
          transcript_json: [said("Main Agent", "Hello", 0, seconds)],
          ...(fields === undefined ? {} : { redact_fields: fields })
        }
        const made = await world.ingest(body)
        bodyOf(await world.post(PATHS.observe, { agent: await world.agent(), ...body }), 200)
        bodyOf(await world.post(PATHS.observe, { agent: await world.agent(), ...body, call_ended_reason: "x" }), 200)
        const ledger = await world.get(`${PATHS.ledger}?limit=50`)
        if (ledger.status === 404) throw new Skipped("the server shows no ledger")
        return listAt(bodyOf(ledger, 200), "results").flatMap((entry) =>
          at(entry, "call") === made.id && at(entry, "reason") === "redaction" ? [at(entry, "amount")] : []
        )
      }
      expectSame("the charge of 90 seconds for one field", await charges(["ssn"], 90), ["0.600000"])
      expectSame("the charge of 90 seconds for all fields", await charges(sensitive, 90), ["0.600000"])
      expectSame("the charge of 1 second", await charges(["age"], 1), ["0.006667"])
      expectSame("the charge without fields", await charges(undefined, 90), [])
      expectSame("the charge of an empty list", await charges([], 90), [])
    }
  ]
})

/** A call to review, with its path. */
const reviewable = async (world: World) => {
  const made = await world.ingest({ call_id: world.callId(), feedback: "from the provider" })
  return { made, path: `${PATHS.calls}${String(made.id)}/` }
}

const logs = checksOf("call-logs", {
  read: [
    "a call is read as it was answered, and an unknown one is 404",
    async (world) => {
      const { made, path } = await reviewable(world)
      expectSame("the call", bodyOf(await world.get(path), 200), made)
      expectDetail(await world.get(`${PATHS.calls}${world.nobody}/`), 404)
      expectDetail(await world.get(`${PATHS.calls}word/`), 404)
    }
  ],
  review: [
    "status follows success and is_reviewed, and a person's feedback outlives deliveries",
    async (world) => {
      const { made, path } = await reviewable(world)
      const statuses: ReadonlyArray<readonly [object, unknown]> = [
        [{ success: true }, "success"],
        [{ is_reviewed: true }, "reviewed_success"],
        [{ success: false }, "reviewed_failure"],
        [{ is_reviewed: false }, "failure"],
        [{ status: "reviewed_success" }, "reviewed_success"],
        [{ success: null }, null]
      ]
      for (const [change, status] of statuses) {
        expectSame(
          `status after ${JSON.stringify(change)}`,
          bodyOf(await world.patch(path, change), 200).status,
          status
        )
      }
      bodyOf(await world.patch(path, { feedback: "from a person", success: true, is_reviewed: true }), 200)
      const again = bodyOf(
        await world.post(PATHS.observe, { call_id: made.call_id, agent: await world.agent(), feedback: "another" }),
        200
      )
      expectSame("what was reviewed", [again.feedback, again.status], ["from a person", "reviewed_success"])
    }
  ],
  limits: [
    "dropoff_point and topic have at most 1000 characters",
    async (world) => {
      const { path } = await reviewable(world)
      for (const field of ["dropoff_point", "topic"]) {
        bodyOf(await world.patch(path, { [field]: "x".repeat(1000) }), 200)
        expectOnlyFaults(await world.patch(path, { [field]: "x".repeat(1001) }), field)
      }
    }
  ],
  delete: [
    "a deleted call is gone, and its name is free again",
    async (world) => {
      const { made, path } = await reviewable(world)
      expectNoBody(await world.ask("DELETE", path), 204)
      expectDetail(await world.get(path), 404)
      const again = await world.post(PATHS.observe, { call_id: made.call_id, agent: await world.agent() })
      world.owes(`${PATHS.calls}${String(bodyOf(again, 201).id)}/`)
    }
  ]
})

export const calls: ReadonlyArray<Check> = [...observe, ...logs]
