/** What the checks of calls share. */
import {
  any,
  bodyOf,
  bool,
  expectShape,
  expectStatus,
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
import { at, listAt } from "../../Documents.js"
import { type Fixture, PATHS } from "../Fixture.js"
import { setTimeout as sleep } from "node:timers/promises"
import type { TRANSCRIPT_TYPES } from "../Interface.js"

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

export const expectCall = (call: Readonly<Record<string, unknown>>): void => {
  expectShape("the call", call, callRecord)
  for (const one of listAt(call, "metrics")) expectShape("the call's metric", one, metricOfCall)
}

export const messages = (role: string, content: string, start_time: number, end_time: number) => ({
  role,
  content,
  start_time,
  end_time
})

export const talk = [
  messages("Testing Agent", "Do you have a table for two?", 0, 2.1),
  messages("Main Agent", "At eight, by the window.", 62.6, 64.4)
]

/** A delivery that has to be refused, and leave nothing. */
export const rejected = async (fixture: Fixture, body: object) =>
  fixture.post(PATHS.observe, { call_id: fixture.callId(), agent: await fixture.agent(), ...body })

export interface Spoken {
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
export const spoken: Readonly<Record<string, Spoken>> = {
  person_name: {
    says: "My name is Kimberly Rodriguez.",
    value: "Kimberly Rodriguez",
    covers: ["medical_professional"]
  },
  age: { says: "I am forty seven years old.", value: "forty seven" },
  phone_number: { says: "My phone number is 415-555-0171.", value: "415-555-0171" },
  email_address: { says: "Write to ann.lee@example.com please.", value: "ann.lee@example.com" },
  date: { says: "The appointment is on March 14, 2024.", value: "March 14, 2024", covers: ["dob"] },
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

/** Returns a function that lists the charges since this call, by call and reason. */
export const chargesFromNow = async (fixture: Fixture) => {
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
export const codeMetrics = async <Name extends string>(
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
export const evaluationOf = async (fixture: Fixture, call: unknown, metric: number): Promise<unknown> => {
  const reply = await fixture.get(`${PATHS.calls}${String(call)}/evaluations/`)
  if (reply.status === 404) throw new Skipped("the server shows no evaluations")
  expectStatus(reply, 200)
  return listAt(reply.json).find((one) => at(one, "metric") === metric)
}

/** What is read once something holds of it, or after a time in which it did not. */
const readUntil = async <A>(read: () => Promise<A>, holds: (found: A) => boolean): Promise<A> => {
  const until = Date.now() + PATIENCE_SECONDS * 1000
  for (;;) {
    const found = await read()
    if (holds(found) || Date.now() > until) return found
    await sleep(50)
  }
}

/** The same as soon as it says something of which this holds. */
export const evaluated = async (
  fixture: Fixture,
  call: unknown,
  metric: number,
  holds: (value: unknown) => boolean
) => {
  const isExpected = (found: unknown) => at(found, "status") === "scored" && holds(at(found, "value"))
  const found = await readUntil(() => evaluationOf(fixture, call, metric), isExpected)
  if (isExpected(found)) return found
  throw new Mismatch(`after ${PATIENCE_SECONDS} seconds the metric ${metric} said ${shown(found)} of the call`)
}

/** The record of a call whose metrics are evaluated: its summary follows them. */
export const summarized = (fixture: Fixture, call: unknown) =>
  readUntil(
    async () => bodyOf(await fixture.get(`${PATHS.calls}${String(call)}/`), 200),
    (found) => at(found, "evaluation") !== ""
  )

export const email = "ann.lee@example.com"

export const ssn = "536-22-8145"

/** A transcript in each format that says an email address and a social security number. Source: docs/ingest.md. */
export const secretsIn: Readonly<Record<(typeof TRANSCRIPT_TYPES)[number], unknown>> = (() => {
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
