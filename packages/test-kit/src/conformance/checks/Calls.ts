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

interface Spoken {
  readonly says: string
  /** What of it has to go. */
  readonly value: string
  /** Fields whose values here are of this field's kind too, and may go with it. */
  readonly covers?: ReadonlyArray<string>
}

/**
 * Something unmistakable for each of redact_fields, in a sentence that says what it is. Numbers have the checksums of
 * their kinds, addresses and phone numbers are those that stand for examples.
 */
const spoken: Readonly<Record<string, Spoken>> = {
  person_name: {
    says: "My name is Kimberly Rodriguez.",
    value: "Kimberly Rodriguez",
    covers: ["medical_professional"]
  },
  age: { says: "I am forty seven years old.", value: "forty seven" },
  phone_number: { says: "My phone number is 415-555-0171.", value: "415-555-0171" },
  email_address: { says: "Write to ann.lee@example.com please.", value: "ann.lee@example.com" },
  date: { says: "The appointment is on March 14, 2024.", value: "March 14, 2024" },
  time: { says: "It begins at 10:45 AM.", value: "10:45 AM" },
  location: { says: "I live at 1482 Maple Street, Chicago.", value: "1482 Maple Street" },
  origin: { says: "I am Brazilian.", value: "Brazilian" },
  gender_sexuality: { says: "I am a lesbian.", value: "lesbian" },
  physical_attribute: { says: "I have blue eyes.", value: "blue eyes" },
  occupation: { says: "I work as a software engineer.", value: "software engineer" },
  username: { says: "My username is skater_dude88.", value: "skater_dude88" },
  password: { says: "My password is hunter2zebra.", value: "hunter2zebra" },
  ip_address: { says: "The machine has the IP address 192.168.7.44.", value: "192.168.7.44" },
  url: { says: "Look at https://shop.example.com/orders.", value: "shop.example.com/orders" },
  filename: { says: "I attached invoice_2291.pdf.", value: "invoice_2291.pdf" },
  event: { says: "We met at the Super Bowl.", value: "Super Bowl" },
  vehicle_id: { says: "The VIN of my car is 1HGCM82633A004352.", value: "1HGCM82633A004352" },
  dob: { says: "My date of birth is July 4, 1976.", value: "July 4, 1976" },
  healthcare_number: { says: "My medical record number is 88421390.", value: "88421390" },
  medical_professional: { says: "My doctor is Dr. Patel.", value: "Patel" },
  credit_card: { says: "My credit card number is 4111 1111 1111 1111.", value: "4111 1111 1111 1111" },
  account_number: { says: "My customer account number is 704418236.", value: "704418236" },
  bank_account: { says: "My IBAN is GB82WEST12345698765432.", value: "GB82WEST12345698765432" },
  money: { says: "It cost $349.50.", value: "$349.50" },
  ssn: { says: "My social security number is 536-22-8145.", value: "536-22-8145" },
  passport_number: { says: "My passport number is X48213907.", value: "X48213907" },
  driver_license: { says: "My driver's license number is D6104472.", value: "D6104472" },
  numerical_pii: { says: "My employee badge number is 55821937.", value: "55821937" }
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
  "repeat-keeps": [
    "a call delivered again keeps all that the delivery does not tell, and takes over what it tells",
    async (world) => {
      const call_id = world.callId()
      const told = {
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
        call_ended_reason: "hangup",
        customer_number: "+15550144",
        feedback: "Friendly",
        timestamp: "2026-03-01T10:00:00Z",
        transcript_json: talk
      }
      const documents = { metadata: { region: "eu" }, dynamic_variables: { tier: "gold" } }
      const first = await world.ingest({ call_id, ...told, ...documents })
      /** What of the record is a person's to compare, and whether documents, which no record shows, are found by filter. */
      const seen = async () => {
        const call = bodyOf(await world.get(`${PATHS.calls}${String(first.id)}/`), 200)
        const conditions = [
          { field: "id", op: "eq", value: first.id },
          { field: "metadata.region", op: "eq", value: "eu" },
          { field: "dynamic_variables.tier", op: "eq", value: "gold" }
        ]
        const filter = encodeURIComponent(JSON.stringify({ operator: "and", conditions }))
        const found = bodyOf(await world.get(`${PATHS.calls}?filters_v2=${filter}`), 200)
        const names = [...Object.keys(told).slice(0, 5), "transcript_object", "duration"]
        return [...names.map((name) => [name, call[name]]), listAt(found, "results").length]
      }
      const before = await seen()
      expectSame("calls that are found by metadata and dynamic_variables", before.at(-1), 1)
      const agent = await world.agent()
      // Null is the same as leaving a field out.
      const nothing = Object.fromEntries(Object.keys({ ...told, ...documents }).map((name) => [name, null]))
      for (const body of [{}, nothing, { transcript_json: [] }]) {
        expectSame("id", bodyOf(await world.post(PATHS.observe, { call_id, agent, ...body }), 200).id, first.id)
        expectSame(`what is kept after ${JSON.stringify(body)}`, await seen(), before)
      }
      const more = { call_ended_reason: "transfer", customer_number: "+15550145", metadata: { region: "us" } }
      const changed = bodyOf(await world.post(PATHS.observe, { call_id, agent, ...more }), 200)
      expectSame("what was told", [changed.call_ended_reason, changed.customer_number], ["transfer", "+15550145"])
      expectSame("what was not", [changed.trace_id, changed.feedback], [told.trace_id, told.feedback])
      expectSame("calls that are found by metadata they had", (await seen()).at(-1), 0)
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
    "each of redact_fields takes what it names out of the transcript, and leaves what it does not name",
    async (world) => {
      const sentences = Object.values(spoken).map(({ says }, at) => said("Testing Agent", says, at, at + 0.9))
      const transcript_json = [...sentences, said("Main Agent", "Anything else?", 100, 101)]
      const fields = Object.keys(spoken)
      /** The fields whose values are in the call's transcript, when these are asked to be redacted. */
      const left = async (redact_fields: ReadonlyArray<string>) => {
        const made = await world.ingest({ call_id: world.callId(), transcript_json, redact_fields })
        const kept = [String(made.transcript), JSON.stringify(made.transcript_object)]
        expectTrue(
          "what is no value is gone",
          kept.every((one) => one.includes("Anything else?"))
        )
        return fields.filter((field) => kept.some((one) => one.includes(spoken[field]?.value ?? "")))
      }
      expectSame("what is left without redact_fields", await left([]), fields)
      for (const field of fields) {
        const gone = [field, ...(spoken[field]?.covers ?? [])]
        const rest = fields.filter((one) => !gone.includes(one))
        const found = (await left([field])).filter((one) => one === field || !gone.includes(one))
        expectSame(`what is left of ${field}`, found, rest)
      }
      const pair = ["ssn", "email_address"]
      expectSame(
        "what is left of two",
        await left(pair),
        fields.filter((one) => !pair.includes(one))
      )
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
