import type { Json } from "@earshot/core"
import * as fc from "fast-check"
import { conversation, turnOf } from "./Conversations.js"
import { choices, field, given, type Payload, seconds, whenKnown } from "./PayloadParts.js"

export const service = fc
  .record({ talk: conversation(), starts: choices(given, "known"), ends: choices(given, "known") })
  .map(({ ends, starts, talk }): Payload => ({
    type: "service",
    payload: talk.utterances.map((one, index) => ({
      role: one.speaker === "main_agent" ? "Main Agent" : "Testing Agent",
      content: one.text,
      ...field(starts(index), "start_time", seconds(one.start)),
      ...field(ends(index), "end_time", seconds(one.end)),
      ...(index % 5 === 4 ? { id: index, sentiment: "neutral" } : {})
    })),
    context: {},
    turns: talk.utterances.map((one, index) =>
      turnOf(one.speaker, one.text, whenKnown(starts(index), one.start), whenKnown(ends(index), one.end))
    ),
    toolCalls: []
  }))

const legacyRoles = {
  main_agent: ["main_agent", "MAIN_AGENT", "Main Agent", "assistant", "Agent"],
  testing_agent: ["testing_agent", "Testing_Agent", "Testing Agent", "user", "USER"]
} as const

export const serviceLegacy = fc
  .record({
    talk: conversation(),
    spelling: choices(fc.nat({ max: 4 }), 0),
    key: choices(fc.constantFrom("content", "text"), "content"),
    starts: choices(given, "known"),
    ends: choices(given, "known")
  })
  .map(({ ends, key, spelling, starts, talk }): Payload => ({
    type: "service_legacy",
    payload: talk.utterances.map((one, index) => ({
      role: legacyRoles[one.speaker][spelling(index)] ?? one.speaker,
      [key(index)]: one.text,
      ...field(starts(index), "start_time", seconds(one.start)),
      ...field(ends(index), "end_time", seconds(one.end))
    })),
    context: {},
    turns: talk.utterances.map((one, index) =>
      turnOf(one.speaker, one.text, whenKnown(starts(index), one.start), whenKnown(ends(index), one.end))
    ),
    toolCalls: []
  }))

export const noneMono: fc.Arbitrary<Payload> = fc
  .constantFrom<Json>(null, "", [], {})
  .map((payload) => ({ type: "none-mono", payload, context: {}, turns: [], toolCalls: [] }))
