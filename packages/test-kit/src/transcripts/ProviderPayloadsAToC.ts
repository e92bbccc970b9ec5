import type { JsonObject } from "@earshot/core"
import * as fc from "fast-check"
import { conversation, toolCallOf, turnOf, type Utterance, wordsOf } from "./Conversations.js"
import { callStarts, choices, earliest, type Payload, seconds, weave } from "./PayloadParts.js"

/**
 * The clocks of the times of a payload: seconds from the start; absolute times with seconds from the start; absolute times in
 * a report that states the start of the call; absolute times alone, of which the earliest becomes 0.
 */
type Clock = "seconds" | "both" | "report" | "instants"

const clocks = fc.constantFrom<Clock>("seconds", "both", "report", "instants")

export const providerA = fc
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

export const providerB = fc
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

export const providerC = fc
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
