/** E10 and the call logs. */
import { setTimeout as sleep } from "node:timers/promises"
import * as fc from "fast-check"
import { wav } from "../../calls/Audio.js"
import { invalidIngestFields } from "../../calls/IngestBodies.js"
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
  Mismatch,
  oneOf,
  orNull,
  shortText,
  shown,
  Skipped,
  text
} from "../Expect.js"
import { roleNames, sensitive, TRANSCRIPT_TYPES } from "../Interface.js"
import { PATHS, type Fixture } from "../Fixture.js"

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
  evaluation: text,
  created_at: instant,
  updated_at: instant
}

/** Source: interface, Call record, metrics. */
const metricOfCall: Readonly<Record<string, Kind>> = {
  id: int,
  name: text,
  type: text,
  score: orNull(["a number", (value) => typeof value === "number"]),
  enum: orNull(text),
  value: any
}

const expectCall = (call: Readonly<Record<string, unknown>>): void => {
  expectShape("the call", call, callRecord)
  for (const one of listAt(call, "metrics")) expectShape("the call's metric", one, metricOfCall)
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
const refused = async (fixture: Fixture, body: object) =>
  fixture.post(PATHS.observe, { call_id: fixture.callId(), agent: await fixture.agent(), ...body })

/** Milliseconds between a delivery's arrival and its record. */
const ARRIVAL = 5000

/** Limits of texts: how long one may be, and with what the fault has to be keyed. */
const limit =
  (field: string, max: number): Check["run"] =>
  async (fixture) => {
    const filled = (length: number) => (field === "call_id" ? fixture.callId().padEnd(length, "x") : "x".repeat(length))
    const longest = filled(max)
    const made = await fixture.ingest({ call_id: fixture.callId(), [field]: longest })
    expectSame(field, made[field], longest)
    // Characters are counted, whatever they are made of.
    const emoji = "😀".repeat(max - 30) + fixture.callId().slice(-30).padStart(30, "-")
    if (field === "call_id") expectSame(field, (await fixture.ingest({ call_id: emoji })).call_id, emoji)
    expectFaults(await refused(fixture, { [field]: filled(max + 1) }), field)
    if (field !== "call_id") expectFaults(await refused(fixture, { [field]: "😀".repeat(max + 1) }), field)
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

/** What calls are charged from now on: asked for later, it answers the amounts of a call that have this reason. */
const chargesFromNow = async (fixture: Fixture) => {
  const page = async (cursor: unknown) => {
    const query = typeof cursor === "string" ? `&cursor=${encodeURIComponent(cursor)}` : ""
    const ledger = await fixture.get(`${PATHS.ledger}?limit=50${query}`)
    if (ledger.status === 404) throw new Skipped("the server shows no ledger")
    return bodyOf(ledger, 200)
  }
  const latest = Number(at(await page(undefined), "results", 0, "id") ?? 0)
  const since = async () => {
    const entries: Array<unknown> = []
    let cursor: unknown
    do {
      const { next, results } = await page(cursor)
      const all = listAt(results)
      const recent = all.filter((entry) => Number(at(entry, "id")) > latest)
      entries.push(...recent)
      // Newest first: behind one that was there before nothing new follows.
      cursor = recent.length === all.length ? next : null
    } while (cursor !== null)
    return entries
  }
  return async (call: unknown, reason: "redaction" | "metric_evaluation"): Promise<ReadonlyArray<unknown>> =>
    (await since()).flatMap((entry) =>
      at(entry, "call") === call && at(entry, "reason") === reason ? [at(entry, "amount")] : []
    )
}

/** An agent of its own with metrics in code, which need no model; each says what this code returns. */
const codeMetrics = async <Name extends string>(
  fixture: Fixture,
  metrics: Readonly<Record<Name, readonly [evalType: string, code: string, fields?: object]>>
) => {
  const agent = await fixture.makeId(PATHS.agents, { project: await fixture.project(), name: "Evaluated" })
  const ids = new Map<string, number>()
  for (const [name, [eval_type, custom_code, fields]] of Object.entries<readonly [string, string, object?]>(metrics)) {
    const metric = { agent, name, type: "custom_code", eval_type, custom_code, ...fields }
    ids.set(name, await fixture.makeId(PATHS.metrics, metric))
  }
  return { agent, id: (name: Name) => ids.get(name) ?? 0 }
}

/** Seconds that a worker may take to evaluate a call by code. */
const PATIENCE_SECONDS = 30

/** What a metric says of a call by now. */
const evaluationOf = async (fixture: Fixture, call: unknown, metric: number): Promise<unknown> => {
  const reply = await fixture.get(`${PATHS.calls}${String(call)}/evaluations/`)
  if (reply.status === 404) throw new Skipped("the server shows no evaluations")
  expectStatus(reply, 200)
  return listAt(reply.json).find((one) => at(one, "metric") === metric)
}

/** The same as soon as it says something of which this holds. */
const evaluated = async (fixture: Fixture, call: unknown, metric: number, holds: (value: unknown) => boolean) => {
  const until = Date.now() + PATIENCE_SECONDS * 1000
  for (;;) {
    const found = await evaluationOf(fixture, call, metric)
    if (at(found, "status") === "scored" && holds(at(found, "value"))) return found
    if (Date.now() > until)
      throw new Mismatch(`after ${PATIENCE_SECONDS} seconds the metric ${metric} said ${shown(found)} of the call`)
    await sleep(50)
  }
}

const email = "ann.lee@example.com"
const ssn = "536-22-8145"

/** A transcript in each format that says an email address and a social security number. Source: docs/ingest.md. */
const secretsIn: Readonly<Record<(typeof TRANSCRIPT_TYPES)[number], unknown>> = (() => {
  const lines = [`Write to ${email} please.`, `My social security number is ${ssn}.`, "That is all."]
  const answer = "Anything else?"
  const rows = (user: object, agent: object, key: string, time: (second: number) => object) => [
    ...lines.map((line, at) => ({ ...user, [key]: line, ...time(at * 5) })),
    { ...agent, [key]: answer, ...time(20) }
  ]
  const wordsOf = (line: string, from: number) =>
    line.split(" ").map((word, n) => ({ word, start: from + n * 0.5, end: from + n * 0.5 + 0.4 }))
  const span = (second: number) => ({ start_time: second, end_time: second + 4 })
  const spoken = [...lines.map((line, n) => [1, line, n * 5] as const), [0, answer, 20] as const]
  return {
    service: rows({ role: "Testing Agent" }, { role: "Main Agent" }, "content", span),
    service_legacy: rows({ role: "user" }, { role: "agent" }, "text", span),
    provider_a: rows({ role: "user" }, { role: "bot" }, "message", (time) => ({ time })),
    provider_b: spoken.map(([speaker, content, from]) => ({
      role: speaker === 0 ? "agent" : "user",
      content,
      words: wordsOf(content, from)
    })),
    provider_c: spoken.flatMap(([speaker, line, from]) => wordsOf(line, from).map((word) => ({ ...word, speaker }))),
    provider_d: rows({ role: "user" }, { role: "assistant" }, "content", span),
    provider_e: rows({ role: "user" }, { role: "assistant" }, "content", (second) => ({
      timestamp: 1_772_359_200 + second
    })),
    provider_f: rows({ role: "user" }, { role: "agent" }, "message", (second) => ({ time_in_call_secs: second }))
  }
})()

/** A multipart body; a field that is given twice is a list. */
const parts = (...fields: ReadonlyArray<readonly [name: string, value: string | Blob]>): FormData => {
  const form = new FormData()
  for (const [name, value] of fields) {
    if (typeof value === "string") form.append(name, value)
    else form.append(name, value, "part.bin")
  }
  return form
}

const observe = checksOf("E10", {
  "new-201": [
    "a new call is answered with 201 and a whole Call record",
    async (fixture) => {
      const call_id = fixture.callId()
      const reply = await fixture.post(PATHS.observe, { call_id, agent: await fixture.agent() })
      const made = bodyOf(reply, 201)
      fixture.owes(`${PATHS.calls}${String(made.id)}/`)
      expectCall(made)
      expectSame("call_id", made.call_id, call_id)
      expectSame("success", [made.success, made.status, made.is_reviewed], [null, null, false])
      expectSame("trace_id", made.trace_id, "")
    }
  ],
  "repeat-200": [
    "a call delivered again is answered with 200 and is the one record",
    async (fixture) => {
      const call_id = fixture.callId()
      const first = await fixture.ingest({ call_id, transcript_json: talk })
      const body = { call_id, agent: await fixture.agent(), transcript_json: talk }
      const again = bodyOf(await fixture.post(PATHS.observe, body), 200)
      expectSame("id", again.id, first.id)
      const more = bodyOf(await fixture.post(PATHS.observe, { ...body, call_ended_reason: "hangup" }), 200)
      expectSame("call_ended_reason", [more.id, more.call_ended_reason], [first.id, "hangup"])
    }
  ],
  "repeat-keeps": [
    "a call delivered again keeps all that the delivery does not tell, and takes over what it tells",
    async (fixture) => {
      const call_id = fixture.callId()
      const told = {
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
        call_ended_reason: "hangup",
        customer_number: "+15550144",
        feedback: "Friendly",
        timestamp: "2026-03-01T10:00:00Z",
        transcript_json: talk
      }
      const documents = { metadata: { region: "eu" }, dynamic_variables: { tier: "gold" } }
      const first = await fixture.ingest({ call_id, ...told, ...documents })
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
        const names = [...Object.keys(told).slice(0, 5), "transcript_object", "duration"]
        return [...names.map((name) => [name, call[name]]), listAt(found, "results").length]
      }
      const before = await seen()
      expectSame("calls that are found by metadata and dynamic_variables", before.at(-1), 1)
      const agent = await fixture.agent()
      // Null is the same as leaving a field out.
      const nothing = Object.fromEntries(Object.keys({ ...told, ...documents }).map((name) => [name, null]))
      for (const body of [{}, nothing, { transcript_json: [] }]) {
        expectSame("id", bodyOf(await fixture.post(PATHS.observe, { call_id, agent, ...body }), 200).id, first.id)
        expectSame(`what is kept after ${JSON.stringify(body)}`, await seen(), before)
      }
      const more = { call_ended_reason: "transfer", customer_number: "+15550145", metadata: { region: "us" } }
      const changed = bodyOf(await fixture.post(PATHS.observe, { call_id, agent, ...more }), 200)
      expectSame("what was told", [changed.call_ended_reason, changed.customer_number], ["transfer", "+15550145"])
      expectSame("what was not", [changed.trace_id, changed.feedback], [told.trace_id, told.feedback])
      expectSame("calls that are found by metadata they had", (await seen()).at(-1), 0)
    }
  ],
  "assistant-id": [
    "the agent may be named by its provider's assistant_id",
    async (fixture) => {
      const made = await fixture.ingest({
        call_id: fixture.callId(),
        agent: null,
        assistant_id: await fixture.assistant()
      })
      expectSame("agent", made.agent, await fixture.agent())
      expectFaults(await refused(fixture, { agent: null, assistant_id: "nobody" }), "assistant_id")
    }
  ],
  "agent-or-assistant": [
    "without agent and assistant_id both are faults",
    async (fixture) => {
      expectOnlyFaults(await fixture.post(PATHS.observe, { call_id: fixture.callId() }), "agent", "assistant_id")
    }
  ],
  "unknown-agent": [
    "an agent that is not the organisation's is a fault of the field agent",
    async (fixture) => expectOnlyFaults(await refused(fixture, { agent: fixture.nobody }), "agent")
  ],
  "call-id-limit": ["call_id is required and has at most 100 characters", limit("call_id", 100)],
  "trace-id-limit": ["trace_id has at most 32 characters", limit("trace_id", 32)],
  "call-ended-reason-limit": ["call_ended_reason has at most 100 characters", limit("call_ended_reason", 100)],
  "customer-number-limit": ["customer_number has at most 100 characters", limit("customer_number", 100)],
  "every-fault": [
    "every fault of a body is told at once, under its field",
    async (fixture) =>
      expectOnlyFaults(
        await fixture.post(PATHS.observe, {
          agent: fixture.nobody,
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
    async (fixture) => {
      for (const [wrong, field, value, path] of invalidIngestFields) {
        // The message as a whole is refused before its fields are looked at.
        if (wrong.startsWith("metadata nested")) continue
        expectFaults(await refused(fixture, { [field]: value }), path ?? field)
      }
    }
  ],
  "read-only-ignored": [
    "read-only and unknown fields of a body are passed over",
    async (fixture) => {
      const made = await fixture.ingest({
        call_id: fixture.callId(),
        id: 7,
        duration: "99:99",
        evaluation: [],
        colour: 1
      })
      expectTrue("the id is the one that was sent", made.id !== 7)
      expectSame("duration", made.duration, "00:00")
    }
  ],
  "form-refused": [
    "a form-urlencoded body is answered with 415, a multipart one is taken",
    async (fixture) => {
      const fields = { call_id: fixture.callId(), agent: await fixture.agent() }
      expectDetail(await fixture.ask("POST", PATHS.observe, { form: fields }), 415)
      const made = bodyOf(await fixture.ask("POST", PATHS.observe, { multipart: fields }), 201)
      fixture.owes(`${PATHS.calls}${String(made.id)}/`)
    }
  ],
  multipart: [
    "in a multipart body documents are JSON text or a file, fields that come twice a list, and faults are those of JSON",
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
        fixture.owes(`${PATHS.calls}${String(made.id)}/`)
        expectSame("the number of turns", listAt(made, "transcript_object").length, 4)
        const kept = [ssn, email, "That is all."].filter((one) => String(made.transcript).includes(one))
        expectSame("what is left of the transcript", kept, ["That is all."])
        const filter = JSON.stringify({ field: "metadata.call", op: "eq", value: call_id })
        const found = bodyOf(await fixture.get(`${PATHS.calls}?filters_v2=${encodeURIComponent(filter)}`), 200)
        expectSame("calls that are found by metadata", listAt(found, "results").length, 1)
      }
      const faults: ReadonlyArray<readonly [field: string, value: string | Blob, path?: string]> = [
        ["redact_fields", "shoe_size", "redact_fields[0]"],
        ["transcript_json", "[{"],
        ["transcript_json", JSON.stringify([said("agent", "Hi", 0, 1)]), "transcript_json[0].role"],
        ["main_agent_channel_index", "2"],
        ["timestamp", "noon"],
        ["voice_recording", new Blob(["no audio"])]
      ]
      for (const [field, value, path] of faults) {
        const body = parts(["call_id", fixture.callId()], ["agent", agent], [field, value])
        expectOnlyFaults(await fixture.ask("POST", PATHS.observe, { body }), path ?? field)
      }
    }
  ],
  recording: [
    "a recording comes as a file in a multipart body, and its length is the call's duration",
    async (fixture) => {
      const reply = await fixture.ask("POST", PATHS.observe, {
        multipart: {
          call_id: fixture.callId(),
          agent: await fixture.agent(),
          main_agent_channel_index: 1,
          voice_recording: new Blob([wav(3, { channels: 2 })])
        }
      })
      const made = bodyOf(reply, 201)
      fixture.owes(`${PATHS.calls}${String(made.id)}/`)
      expectSame("duration", made.duration, "00:03")
    }
  ],
  "recording-twice": [
    "of a recording's file and its URL the file counts, and the URL is not fetched",
    async (fixture) => {
      const reply = await fixture.ask("POST", PATHS.observe, {
        multipart: {
          call_id: fixture.callId(),
          agent: await fixture.agent(),
          // A name that there is not: fetching it would leave an error_message.
          voice_recording_url: "https://recordings.invalid/a.wav",
          voice_recording: new Blob([wav(3)])
        }
      })
      const made = bodyOf(reply, 201)
      fixture.owes(`${PATHS.calls}${String(made.id)}/`)
      expectSame("the recording", [made.duration, made.error_message], ["00:03", null])
    }
  ],
  "recording-url": [
    "a recording's URL may not lead into the server's own network",
    async (fixture) => {
      for (const url of ["http://127.0.0.1/a.wav", "http://[::1]/a.wav", "http://169.254.169.254/", "file:///a.wav"]) {
        expectFaults(await refused(fixture, { voice_recording_url: url }), "voice_recording_url")
      }
    }
  ],
  "channel-index": [
    "main_agent_channel_index is 0, 1 or null",
    async (fixture) => {
      for (const index of [0, 1, null]) {
        await fixture.ingest({ call_id: fixture.callId(), main_agent_channel_index: index })
      }
      for (const index of [-1, 2, 0.5, "left"]) {
        expectFaults(await refused(fixture, { main_agent_channel_index: index }), "main_agent_channel_index")
      }
    }
  ],
  "service-roles": [
    "the format service takes the roles Testing Agent and Main Agent only",
    async (fixture) => {
      for (const role of ["agent", "user", "main agent", "bot", ""]) {
        for (const type of [{}, { transcript_type: "service" }]) {
          const body = { ...type, transcript_json: [...talk, said(role, "Hi", 65, 66)] }
          expectFaultWithin(await refused(fixture, body), "transcript_json")
        }
      }
    }
  ],
  "transcript-text": [
    "transcript has a line [MM:SS] <role>: <text> a turn, transcript_object its turns in seconds, duration its end",
    async (fixture) => {
      const made = await fixture.ingest({ call_id: fixture.callId(), transcript_json: talk })
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
    async (fixture) => {
      for (const type of ["provider_z", "", "constructor", 5]) {
        expectFaults(await refused(fixture, { transcript_type: type }), "transcript_type")
      }
      await fixture.ingest({ call_id: fixture.callId(), transcript_type: null, transcript_json: talk })
    }
  ],
  ...Object.fromEntries(
    TRANSCRIPT_TYPES.map((type) => [
      `format-${type}`,
      [
        `the format ${type} is decoded to its turns, with times in seconds`,
        async (fixture: Fixture) => {
          for (const sample of fc.sample(payloadOf(type), { seed: 8, numRuns: 4 })) {
            const index = sample.context.mainAgentChannelIndex
            const made = await fixture.ingest({
              call_id: fixture.callId(),
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
    "none-mono without a recording is a fault; with one it is taken, or a fault of transcript_type where nothing transcribes",
    async (fixture) => {
      expectStatus(await refused(fixture, { transcript_type: "none-mono" }), 400)
      const reply = await fixture.ask("POST", PATHS.observe, {
        multipart: {
          call_id: fixture.callId(),
          agent: await fixture.agent(),
          transcript_type: "none-mono",
          voice_recording: new Blob([wav(3)])
        }
      })
      if (reply.status === 400) {
        expectOnlyFaults(reply, "transcript_type")
        return
      }
      const made = bodyOf(reply, 201)
      fixture.owes(`${PATHS.calls}${String(made.id)}/`)
      expectCall(made)
      expectSame("duration", made.duration, "00:03")
    }
  ],
  timestamp: [
    "timestamp is kept as an instant, whatever offset it came with, and is the moment of arrival where it was not told",
    async (fixture) => {
      const made = await fixture.ingest({ call_id: fixture.callId(), timestamp: "2026-03-01T12:00:00+02:00" })
      expectSame("timestamp", new Date(String(made.timestamp)).toISOString(), "2026-03-01T10:00:00.000Z")
      expectFaults(await refused(fixture, { timestamp: "2026-02-30T00:00:00Z" }), "timestamp")
      for (const untold of [{}, { timestamp: null }]) {
        const call = await fixture.ingest({ call_id: fixture.callId(), ...untold })
        const apart = Math.abs(Date.parse(String(call.timestamp)) - Date.parse(String(call.created_at)))
        if (!(apart <= ARRIVAL))
          throw new Mismatch(
            `timestamp is ${shown(call.timestamp)} of a call that was created ${shown(call.created_at)}`
          )
      }
    }
  ],
  "metric-ids": [
    "metric_ids is a comma-separated text of the agent's metrics",
    async (fixture) => {
      const id = await fixture.numericMetric()
      await fixture.ingest({ call_id: fixture.callId(), metric_ids: `${id}, ${id}` })
      for (const ids of [`${id};${id}`, "one", [id], String(fixture.nobody), `${id},${fixture.nobody}`]) {
        expectFaults(await refused(fixture, { metric_ids: ids }), "metric_ids")
      }
    }
  ],
  "redact-fields": [
    "redact_fields takes each field of the interface and no other",
    async (fixture) => {
      await fixture.ingest({ call_id: fixture.callId(), redact_fields: sensitive })
      expectFaults(await refused(fixture, { redact_fields: ["ssn", "shoe_size"] }), "redact_fields[1]")
      expectFaults(await refused(fixture, { redact_fields: "ssn" }), "redact_fields")
    }
  ],
  redaction: [
    "each of redact_fields takes what it names out of the transcript, and leaves what it does not name",
    async (fixture) => {
      const sentences = Object.values(spoken).map(({ says }, at) => said("Testing Agent", says, at, at + 0.9))
      const transcript_json = [...sentences, said("Main Agent", "Anything else?", 100, 101)]
      const fields = Object.keys(spoken)
      /** The fields whose values are in the call's transcript, when these are asked to be redacted. */
      const left = async (redact_fields: ReadonlyArray<string>) => {
        const made = await fixture.ingest({ call_id: fixture.callId(), transcript_json, redact_fields })
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
    async (fixture) => {
      const charged = await chargesFromNow(fixture)
      const charges = async (fields: ReadonlyArray<string> | undefined, seconds: number) => {
        const body = {
          call_id: fixture.callId(),
          transcript_json: [said("Main Agent", "Hello", 0, seconds)],
          ...(fields === undefined ? {} : { redact_fields: fields })
        }
        const made = await fixture.ingest(body)
        bodyOf(await fixture.post(PATHS.observe, { agent: await fixture.agent(), ...body }), 200)
        bodyOf(
          await fixture.post(PATHS.observe, { agent: await fixture.agent(), ...body, call_ended_reason: "x" }),
          200
        )
        return charged(made.id, "redaction")
      }
      expectSame("the charge of 90 seconds for one field", await charges(["ssn"], 90), ["0.600000"])
      expectSame("the charge of 90 seconds for all fields", await charges(sensitive, 90), ["0.600000"])
      expectSame("the charge of 1 second", await charges(["age"], 1), ["0.006667"])
      expectSame("the charge without fields", await charges(undefined, 90), [])
      expectSame("the charge of an empty list", await charges([], 90), [])
    }
  ],
  "redaction-formats": [
    "what redact_fields names goes from a transcript in any format, and nothing else does",
    async (fixture) => {
      for (const transcript_type of TRANSCRIPT_TYPES) {
        const transcript_json = secretsIn[transcript_type]
        const left = async (redact_fields: ReadonlyArray<string>) => {
          const made = await fixture.ingest({
            call_id: fixture.callId(),
            transcript_type,
            transcript_json,
            redact_fields
          })
          const texts = [String(made.transcript), JSON.stringify(made.transcript_object)]
          return [email, ssn, "That is all.", "Anything else?"].filter((one) =>
            texts.some((text) => text.includes(one))
          )
        }
        const rest = ["That is all.", "Anything else?"]
        expectSame(`what is left of ${transcript_type} without redact_fields`, await left([]), [email, ssn, ...rest])
        expectSame(`what is left of ${transcript_type}`, await left(["email_address"]), [ssn, ...rest])
        expectSame(`what is left of ${transcript_type}`, await left(["ssn", "email_address"]), rest)
      }
    }
  ],
  "redaction-tools": [
    "what redact_fields names goes from the arguments and results of tools too",
    async (fixture) => {
      // No answer shows a call's tools; code that evaluates it says what it sees of them.
      const { agent, id } = await codeMetrics(fixture, {
        tools: ["numeric", "return { value: call.tool_calls.length, explanation: JSON.stringify(call.tool_calls) }"]
      })
      const transcript_json = [
        { role: "user", message: `Write to ${email} please.`, time: 0 },
        {
          role: "tool_calls",
          message: "",
          toolCalls: [
            { id: "1", type: "function", function: { name: "look_up", arguments: JSON.stringify({ email }) } }
          ],
          time: 2
        },
        { role: "tool_call_result", toolCallId: "1", name: "look_up", result: `${email} ordered a lamp`, time: 3 },
        { role: "bot", message: "Found it.", time: 4 }
      ]
      const told = async (fields: object) => {
        const body = { call_id: fixture.callId(), agent, transcript_type: "provider_a", transcript_json, ...fields }
        const made = await fixture.ingest({ ...body, metric_ids: String(id("tools")) })
        const said = await evaluated(fixture, made.id, id("tools"), () => true)
        expectSame("the tool calls that are seen", at(said, "value"), 1)
        return String(at(said, "explanation"))
      }
      const open = await told({})
      const [, before, after] = open.split(email)
      expectTrue(
        `the tool calls are ${shown(open)}, without what was told`,
        before !== undefined && after !== undefined
      )
      const redacted = await told({ redact_fields: ["email_address"] })
      expectTrue(`the tool calls are ${shown(redacted)} after redaction`, !redacted.includes(email))
      for (const kept of ["look_up", "ordered a lamp"]) {
        expectTrue(`the tool calls are ${shown(redacted)}, without ${kept}`, redacted.includes(kept))
      }
    }
  ]
})

/** Source: docs/metrics.md, When a metric is evaluated, and Prices. */
const evaluations = checksOf("evaluations", {
  record: [
    "what metrics say of a call is in its record: metrics with id, name, type, score, enum and value, and evaluation",
    async (fixture) => {
      const { agent, id } = await codeMetrics(fixture, {
        count: ["numeric", "return { value: call.transcript_object.length }"],
        mood: ["enum", "return { value: 'calm' }", { enum_values: ["calm", "cross"] }],
        polite: ["binary", "return { value: true }"]
      })
      const names = ["count", "mood", "polite"] as const
      const made = await fixture.ingest({
        call_id: fixture.callId(),
        agent,
        transcript_json: talk,
        metric_ids: names.map(id).join(",")
      })
      for (const name of names) await evaluated(fixture, made.id, id(name), () => true)
      const call = bodyOf(await fixture.get(`${PATHS.calls}${String(made.id)}/`), 200)
      expectCall(call)
      const one = (name: (typeof names)[number]) =>
        listAt(call, "metrics").find((metric) => at(metric, "id") === id(name)) ?? null
      const type = "custom_code"
      const count = { id: id("count"), name: "count", type, score: talk.length, enum: null, value: talk.length }
      expectSame("a numeric metric", one("count"), count)
      expectSame("an enum metric", [at(one("mood"), "enum"), at(one("mood"), "value")], ["calm", "calm"])
      expectSame("a binary metric", at(one("polite"), "value"), true)
      expectSame("the metrics of the call", listAt(call, "metrics").length, names.length)
      expectTrue("evaluation is empty once the call is evaluated", call.evaluation !== "")
    }
  ],
  repeated: [
    "a call delivered again is evaluated again where its transcript or metric_ids changed, else not, and a metric is charged once",
    async (fixture) => {
      const code = "return { value: call.metadata.delivery }"
      const { agent, id } = await codeMetrics(fixture, { first: ["numeric", code], second: ["numeric", code] })
      const charged = await chargesFromNow(fixture)
      const call_id = fixture.callId()
      const metric_ids = String(id("first"))
      /** Says which delivery it was: what evaluates the call says which one it has seen. */
      const deliver = async (delivery: number, fields: object) =>
        bodyOf(await fixture.post(PATHS.observe, { call_id, agent, metadata: { delivery }, ...fields }), 200, 201)
      const { id: call } = await fixture.ingest({
        call_id,
        agent,
        metadata: { delivery: 1 },
        transcript_json: talk,
        metric_ids
      })
      const seen = (name: "first" | "second", delivery: number) =>
        evaluated(fixture, call, id(name), (value) => value === delivery)
      await seen("first", 1)
      expectSame("the charge", await charged(call, "metric_evaluation"), ["0.005000"])
      await deliver(2, { transcript_json: talk, metric_ids, call_ended_reason: "hangup" })
      await deliver(3, {})
      // What is asked for later is done later: with this call evaluated the other one would have been.
      const another = { call_id: fixture.callId(), agent, metadata: { delivery: 9 }, transcript_json: talk, metric_ids }
      await evaluated(fixture, (await fixture.ingest(another)).id, id("first"), (value) => value === 9)
      const untouched = at(await evaluationOf(fixture, call, id("first")), "value")
      expectSame("the delivery that the metric saw, after two that changed nothing it is asked about", untouched, 1)
      await deliver(4, { transcript_json: [...talk, said("Testing Agent", "Thank you.", 65, 66)] })
      await seen("first", 4)
      await deliver(5, { metric_ids: `${metric_ids},${id("second")}` })
      await seen("second", 5)
      await seen("first", 5)
      expectSame("the charges", await charged(call, "metric_evaluation"), ["0.005000", "0.005000"])
    }
  ],
  asked: [
    "evaluate_metrics evaluates a call anew, charges no metric twice, and takes the agent's metrics alone",
    async (fixture) => {
      const { agent, id } = await codeMetrics(fixture, {
        first: ["numeric", "return { value: call.metadata.delivery }"]
      })
      const charged = await chargesFromNow(fixture)
      const body = { call_id: fixture.callId(), agent, transcript_json: talk, metric_ids: String(id("first")) }
      const { id: call } = await fixture.ingest({ ...body, metadata: { delivery: 1 } })
      const path = `${PATHS.calls}${String(call)}/evaluate_metrics/`
      await evaluated(fixture, call, id("first"), (value) => value === 1)
      bodyOf(await fixture.post(PATHS.observe, { ...body, metadata: { delivery: 2 } }), 200)
      for (const metric_ids of [String(id("first")), [id("first")]]) {
        const asked = bodyOf(await fixture.post(path, { metric_ids }), 200)
        expectSame("what is asked", [asked.call, asked.metric_ids], [call, [id("first")]])
      }
      await evaluated(fixture, call, id("first"), (value) => value === 2)
      expectSame("the charges", await charged(call, "metric_evaluation"), ["0.005000"])
      for (const metric_ids of [String(fixture.nobody), "one", [fixture.nobody], [], 5]) {
        expectFaultWithin(await fixture.post(path, { metric_ids }), "metric_ids")
      }
      expectDetail(await fixture.post(`${PATHS.calls}${fixture.nobody}/evaluate_metrics/`, {}), 404)
    }
  ]
})

/** A call to review, with its path. */
const reviewable = async (fixture: Fixture) => {
  const made = await fixture.ingest({ call_id: fixture.callId(), feedback: "from the provider" })
  return { made, path: `${PATHS.calls}${String(made.id)}/` }
}

const logs = checksOf("call-logs", {
  read: [
    "a call is read as it was answered, and an unknown one is 404",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      expectSame("the call", bodyOf(await fixture.get(path), 200), made)
      expectDetail(await fixture.get(`${PATHS.calls}${fixture.nobody}/`), 404)
      expectDetail(await fixture.get(`${PATHS.calls}word/`), 404)
    }
  ],
  review: [
    "status follows success and is_reviewed, and a person's feedback outlives deliveries",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
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
          bodyOf(await fixture.patch(path, change), 200).status,
          status
        )
      }
      bodyOf(await fixture.patch(path, { feedback: "from a person", success: true, is_reviewed: true }), 200)
      const again = bodyOf(
        await fixture.post(PATHS.observe, { call_id: made.call_id, agent: await fixture.agent(), feedback: "another" }),
        200
      )
      expectSame("what was reviewed", [again.feedback, again.status], ["from a person", "reviewed_success"])
    }
  ],
  limits: [
    "dropoff_point and topic have at most 1000 characters",
    async (fixture) => {
      const { path } = await reviewable(fixture)
      for (const field of ["dropoff_point", "topic"]) {
        bodyOf(await fixture.patch(path, { [field]: "x".repeat(1000) }), 200)
        expectOnlyFaults(await fixture.patch(path, { [field]: "x".repeat(1001) }), field)
      }
    }
  ],
  listed: [
    "calls are listed by project and by agent, newest first, and no others",
    async (fixture) => {
      const [here, there] = [await fixture.elsewhere(), await fixture.elsewhere()]
      const deliver = async ({ agent }: typeof here) => (await fixture.ingest({ call_id: fixture.callId(), agent })).id
      const ids = [await deliver(here), await deliver(there), await deliver(here)]
      const listed = async (query: string) =>
        listAt(bodyOf(await fixture.get(`${PATHS.calls}?${query}`), 200), "results").map((call) => at(call, "id"))
      for (const query of [`project=${here.project}`, `agent_id=${here.agent}`]) {
        expectSame(`the calls of ${query}`, await listed(query), [ids[2], ids[0]])
      }
      expectSame("the calls of another project", await listed(`project=${there.project}`), [ids[1]])
      for (const name of ["project", "agent_id"]) expectFaults(await fixture.get(`${PATHS.calls}?${name}=word`), name)
    }
  ],
  delete: [
    "a deleted call is gone, and its name is free again",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      expectNoBody(await fixture.ask("DELETE", path), 204)
      expectDetail(await fixture.get(path), 404)
      const again = await fixture.post(PATHS.observe, { call_id: made.call_id, agent: await fixture.agent() })
      fixture.owes(`${PATHS.calls}${String(bodyOf(again, 201).id)}/`)
    }
  ]
})

export const calls: ReadonlyArray<Check> = [...observe, ...evaluations, ...logs]
