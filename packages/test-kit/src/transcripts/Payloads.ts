/** Arbitraries of webhook payloads of every format, with the turns and tool calls that they decode to. */
import type { DecodeContext, Json, JsonObject, ToolCall, TranscriptType, Turn } from "@earshot/core"
import * as fc from "fast-check"
import {
  type Conversation,
  conversation,
  toolCallOf,
  type ToolUse,
  turnOf,
  type Utterance,
  wordsOf
} from "./Conversations.js"

export interface Payload {
  readonly type: TranscriptType
  readonly payload: Json
  readonly context: DecodeContext
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
}

/** Rows of speech with the rows of tool calls between them. */
const weave = (
  { toolUses, utterances }: Conversation,
  rowsOf: (utterance: Utterance, index: number) => ReadonlyArray<JsonObject>,
  used: (use: ToolUse, index: number) => ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const usedAfter = (position: number) =>
    toolUses.flatMap((use, index) => (use.after === position ? used(use, index) : []))
  return [
    ...usedAfter(-1),
    ...utterances.flatMap((utterance, index) => [...rowsOf(utterance, index), ...usedAfter(index)])
  ]
}

/** An optional field: omitted, null, or the value. */
type Given = "absent" | "null" | "known"
const given = fc.constantFrom<Given>("known", "known", "known", "null", "absent")
const field = (how: Given, key: string, value: Json): JsonObject =>
  how === "known" ? { [key]: value } : how === "null" ? { [key]: null } : {}
const whenKnown = (how: Given, time: number): number | undefined => (how === "known" ? time : undefined)
const seconds = (milliseconds: number): number => milliseconds / 1_000

/** Plausible starts of a call, in milliseconds since 1970. */
const callStarts = fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 })

/** A choice for each item, repeated if there are more items than choices. */
const choices = <A>(of: fc.Arbitrary<A>, otherwise: A): fc.Arbitrary<(index: number) => A> =>
  fc.array(of, { minLength: 1, maxLength: 12 }).map((all) => (index) => all[index % all.length] ?? otherwise)

const service = fc
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

const serviceLegacy = fc
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

/**
 * The clocks of the times of a payload: seconds from the start; absolute times with seconds from the start; absolute times in
 * a report that states the start of the call; absolute times alone, of which the earliest becomes 0.
 */
type Clock = "seconds" | "both" | "report" | "instants"
const clocks = fc.constantFrom<Clock>("seconds", "both", "report", "instants")

const earliest = (times: ReadonlyArray<number>): number => times.reduce((a, b) => Math.min(a, b), Number.MAX_VALUE)

const providerA = fc
  .record({
    talk: conversation(),
    began: callStarts,
    clock: clocks,
    wrap: fc.constantFrom("bare", "messages", "artifact", "message"),
    ending: choices(fc.constantFrom("endTime", "duration", "none"), "none")
  })
  .map(({ began, clock, ending, talk, wrap }): Payload => {
    const wrapped = clock === "report" && wrap === "bare" ? "message" : wrap
    const hasEnd = (index: number) => ending(index) !== "none"
    const shift =
      clock !== "instants"
        ? 0
        : earliest([
            ...talk.utterances.map((one) => one.start),
            ...talk.toolUses.flatMap((use) => [use.start, use.end])
          ])
    const at = (key: string, time: number): JsonObject => ({
      [key]: clock === "seconds" ? seconds(time) : began + time
    })
    const when = (time: number): JsonObject => ({
      ...at("time", time),
      ...(clock === "both" ? { secondsFromStart: seconds(time) } : {})
    })
    const rows = [
      { role: "system", message: "You are helpful.", time: clock === "seconds" ? 0 : began },
      ...weave(
        talk,
        (one, index) => [
          {
            role: one.speaker === "main_agent" ? "bot" : "user",
            message: one.text,
            ...when(one.start),
            ...(ending(index) === "endTime" ? at("endTime", one.end) : {}),
            ...(ending(index) === "duration"
              ? { duration: clock === "seconds" ? seconds(one.end - one.start) : one.end - one.start }
              : {})
          }
        ],
        (use) => [
          {
            role: "tool_calls",
            message: "",
            toolCalls: [{ id: use.id, type: "function", function: { name: use.name, arguments: use.arguments } }],
            ...when(use.start)
          },
          { role: "tool_call_result", toolCallId: use.id, name: use.name, result: use.result, ...when(use.end) }
        ]
      )
    ]
    const report = { messages: rows, ...(clock === "report" ? { startedAt: new Date(began).toISOString() } : {}) }
    return {
      type: "provider_a",
      payload:
        wrapped === "bare"
          ? rows
          : wrapped === "messages"
            ? report
            : wrapped === "artifact"
              ? { artifact: report }
              : { message: { type: "end-of-call-report", artifact: report } },
      context: {},
      turns: talk.utterances.map((one, index) =>
        turnOf(one.speaker, one.text, one.start - shift, hasEnd(index) ? one.end - shift : undefined)
      ),
      toolCalls: talk.toolUses.map((use) => toolCallOf(use, use.start - shift, use.end - shift, undefined))
    }
  })

const providerB = fc
  .record({
    talk: conversation(),
    wordless: choices(fc.boolean(), false),
    timed: fc.boolean(),
    wrap: fc.constantFrom("bare", "call", "event", "event with tools")
  })
  .map(({ talk, timed, wordless, wrap }): Payload => {
    const withTools = wrap === "bare" || wrap === "event with tools"
    const words = (one: Utterance, index: number) => (wordless(index) ? [] : wordsOf(one))
    const speech = (one: Utterance, index: number): JsonObject => ({
      role: one.speaker === "main_agent" ? "agent" : index % 4 === 3 ? "transfer_target" : "user",
      content: one.text,
      words: words(one, index).map((word) => ({
        word: word.text,
        start: word.startTime ?? null,
        end: word.endTime ?? null
      }))
    })
    const spoken = talk.utterances.map(speech)
    const rows = weave(
      talk,
      (one, index) => [
        speech(one, index),
        ...(index === 1
          ? [
              { role: "dtmf", digit: "5" },
              { role: "node_transition", new_node_id: "n2" }
            ]
          : [])
      ],
      (use) => [
        {
          role: "tool_call_invocation",
          tool_call_id: use.id,
          name: use.name,
          arguments: use.arguments,
          ...(timed ? { time_sec: seconds(use.start) } : {})
        },
        {
          role: "tool_call_result",
          tool_call_id: use.id,
          content: use.result,
          successful: !use.failed,
          ...(timed ? { time_sec: seconds(use.end) } : {})
        }
      ]
    )
    return {
      type: "provider_b",
      payload:
        wrap === "bare"
          ? rows
          : wrap === "call"
            ? { call_id: "c1", transcript_object: spoken }
            : wrap === "event"
              ? { event: "call_ended", call: { transcript_object: spoken } }
              : { event: "call_ended", call: { transcript_object: spoken, transcript_with_tool_calls: rows } },
      context: {},
      turns: talk.utterances.map((one, index) => {
        const timed = words(one, index)
        const known = timed.length > 0
        return turnOf(one.speaker, one.text, known ? one.start : undefined, known ? one.end : undefined, timed)
      }),
      toolCalls: withTools
        ? talk.toolUses.map((use) =>
            toolCallOf(use, timed ? use.start : undefined, timed ? use.end : undefined, !use.failed)
          )
        : []
    }
  })

const providerC = fc
  .record({
    talk: conversation({ overlaps: false, alternating: true }),
    wrap: fc.constantFrom("bare", "words", "one channel", "two channels"),
    agentSpeaks: fc.constantFrom(0, 1),
    withIndex: fc.boolean(),
    punctuated: fc.boolean()
  })
  .map(({ agentSpeaks, punctuated, talk, withIndex, wrap }): Payload => {
    const main: 0 | 1 = agentSpeaks === 0 ? 0 : 1
    const agentFirst = talk.utterances[0]?.speaker !== "testing_agent"
    const speakerOf = (one: Utterance): number => (one.speaker === "main_agent" ? main : 1 - main)
    const wordRow = (one: Utterance, channel: boolean): ReadonlyArray<JsonObject> =>
      wordsOf(one).map((word) => ({
        word: punctuated ? word.text.toLowerCase() : word.text,
        ...(punctuated ? { punctuated_word: word.text } : {}),
        start: word.startTime ?? null,
        end: word.endTime ?? null,
        confidence: 0.98,
        ...(channel ? {} : { speaker: speakerOf(one) })
      }))
    const flat = talk.utterances.flatMap((one) => wordRow(one, false))
    const channel = (words: ReadonlyArray<JsonObject>): JsonObject => ({ alternatives: [{ transcript: "", words }] })
    return {
      type: "provider_c",
      payload:
        wrap === "bare"
          ? flat
          : wrap === "words"
            ? { words: flat }
            : wrap === "one channel"
              ? { metadata: { channels: 1 }, results: { channels: [channel(flat)] } }
              : {
                  results: {
                    channels: [0, 1].map((number) =>
                      channel(
                        talk.utterances.filter((one) => speakerOf(one) === number).flatMap((one) => wordRow(one, true))
                      )
                    )
                  }
                },
      // Without an index the first speaker is the main agent, so calls with another first speaker need one.
      context: withIndex || !agentFirst ? { mainAgentChannelIndex: main } : {},
      turns: talk.utterances.map((one) => {
        const words = wordsOf(one)
        return turnOf(one.speaker, words.map((word) => word.text).join(" "), one.start, one.end, words)
      }),
      toolCalls: []
    }
  })

const providerD = fc
  .record({
    talk: conversation(),
    began: callStarts,
    iso: fc.boolean(),
    asFunctions: fc.boolean(),
    starts: choices(given, "known"),
    ends: choices(given, "known")
  })
  .map(({ asFunctions, began, ends, iso, starts, talk }): Payload => {
    const instants = [
      ...talk.utterances.flatMap((one, index) => [
        ...(starts(index) === "known" ? [one.start] : []),
        ...(ends(index) === "known" ? [one.end] : [])
      ]),
      ...talk.toolUses.flatMap((use) => [use.start, use.end])
    ]
    const shift = iso ? earliest(instants) : 0
    const when = (time: number): Json => (iso ? new Date(began + time).toISOString() : seconds(time))
    const startKey = iso ? "timestamp" : "start_time"
    const moved = (how: Given, time: number): number | undefined => whenKnown(how, time - shift)
    return {
      type: "provider_d",
      payload: [
        { role: "system", content: "You are helpful." },
        ...weave(
          talk,
          (one, index) => [
            {
              role: one.speaker === "main_agent" ? "assistant" : "user",
              content: one.text,
              ...field(starts(index), startKey, when(one.start)),
              ...field(ends(index), "end_time", when(one.end))
            }
          ],
          (use) =>
            asFunctions
              ? [
                  {
                    role: "assistant",
                    content: null,
                    tool_calls: [{ id: use.id, function: { name: use.name, arguments: use.arguments } }],
                    [startKey]: when(use.start)
                  },
                  { role: "tool", tool_call_id: use.id, content: use.result, [startKey]: when(use.end) }
                ]
              : [
                  {
                    role: "tool_call",
                    tool_call_id: use.id,
                    name: use.name,
                    arguments: use.arguments,
                    [startKey]: when(use.start)
                  },
                  { role: "tool_call_result", tool_call_id: use.id, result: use.result, [startKey]: when(use.end) }
                ]
        )
      ],
      context: {},
      turns: talk.utterances.map((one, index) =>
        turnOf(one.speaker, one.text, moved(starts(index), one.start), moved(ends(index), one.end))
      ),
      toolCalls: talk.toolUses.map((use) => toolCallOf(use, use.start - shift, use.end - shift, undefined))
    }
  })

const providerEList = fc
  .record({ talk: conversation(), began: callStarts, starts: choices(given, "known") })
  .map(({ began, starts, talk }): Payload => {
    const shift = earliest(talk.utterances.filter((_, index) => starts(index) === "known").map((one) => one.start))
    return {
      type: "provider_e",
      payload: talk.utterances.map((one, index) => ({
        role: one.speaker === "main_agent" ? "assistant" : "user",
        content: one.text,
        ...field(starts(index), "timestamp", seconds(began + one.start))
      })),
      context: {},
      turns: talk.utterances.map((one, index) =>
        turnOf(one.speaker, one.text, whenKnown(starts(index), one.start - shift), undefined)
      ),
      toolCalls: []
    }
  })

const providerEReport = fc
  .record({
    talk: conversation(),
    began: callStarts,
    holder: fc.constantFrom("", "chat_history", "history"),
    measured: choices(fc.boolean(), true)
  })
  .map(({ began, holder, measured, talk }): Payload => {
    const instant = (time: number): number => seconds(began + time)
    const items = [
      { id: "item_0", type: "agent_handoff", new_agent_id: "front_desk" },
      { id: "item_1", type: "message", role: "system", content: ["You are helpful."], created_at: instant(0) },
      ...weave(
        talk,
        (one, index) => [
          {
            id: `item_${index + 2}`,
            type: "message",
            role: one.speaker === "main_agent" ? "assistant" : "user",
            content: one.text.split("\n"),
            interrupted: false,
            created_at: instant(one.start),
            ...(measured(index)
              ? { metrics: { started_speaking_at: instant(one.start), stopped_speaking_at: instant(one.end) } }
              : {})
          }
        ],
        (use) => [
          {
            type: "function_call",
            call_id: use.id,
            name: use.name,
            arguments: use.arguments,
            created_at: instant(use.start)
          },
          {
            type: "function_call_output",
            call_id: use.id,
            name: use.name,
            output: use.result,
            is_error: use.failed,
            created_at: instant(use.end)
          }
        ]
      )
    ]
    return {
      type: "provider_e",
      payload: {
        job_id: "job_1",
        started_at: instant(0),
        ...(holder === "" ? { items } : { [holder]: { items } })
      },
      context: {},
      turns: talk.utterances.map((one, index) =>
        turnOf(one.speaker, one.text, one.start, measured(index) ? one.end : undefined)
      ),
      toolCalls: talk.toolUses.map((use) => toolCallOf(use, use.start, use.end, !use.failed))
    }
  })

const providerF = fc
  .record({ talk: conversation(), wrap: fc.constantFrom("bare", "data", "event") })
  .map(({ talk, wrap }): Payload => {
    const transcript = weave(
      talk,
      (one) => [
        {
          role: one.speaker === "main_agent" ? "agent" : "user",
          message: one.text,
          time_in_call_secs: seconds(one.start),
          tool_calls: [],
          tool_results: null
        }
      ],
      (use) => [
        {
          role: "agent",
          message: null,
          time_in_call_secs: seconds(use.start),
          tool_calls: [{ request_id: use.id, tool_name: use.name, params_as_json: use.arguments }],
          tool_results: []
        },
        {
          role: "agent",
          message: null,
          time_in_call_secs: seconds(use.end),
          tool_calls: [],
          tool_results: [{ request_id: use.id, tool_name: use.name, result_value: use.result, is_error: use.failed }]
        }
      ]
    )
    return {
      type: "provider_f",
      payload:
        wrap === "bare"
          ? transcript
          : wrap === "data"
            ? { transcript, metadata: { call_duration_secs: 60 } }
            : { type: "post_call_transcription", data: { transcript, metadata: { call_duration_secs: 60 } } },
      context: {},
      turns: talk.utterances.map((one) => turnOf(one.speaker, one.text, one.start, undefined)),
      toolCalls: talk.toolUses.map((use) => toolCallOf(use, use.start, use.end, !use.failed))
    }
  })

const noneMono: fc.Arbitrary<Payload> = fc
  .constantFrom<Json>(null, "", [], {})
  .map((payload) => ({ type: "none-mono", payload, context: {}, turns: [], toolCalls: [] }))

const payloads: Readonly<Record<TranscriptType, fc.Arbitrary<Payload>>> = {
  service,
  service_legacy: serviceLegacy,
  provider_a: providerA,
  provider_b: providerB,
  provider_c: providerC,
  provider_d: providerD,
  provider_e: fc.oneof(providerEList, providerEReport),
  provider_f: providerF,
  "none-mono": noneMono
}

/** A payload of a format in any of its shapes, with the expected result. */
export const payloadOf = (type: TranscriptType): fc.Arbitrary<Payload> => payloads[type]

/** A payload of any format. */
export const payload: fc.Arbitrary<Payload> = fc.oneof(...Object.values(payloads))
