import type { Json } from "@earshot/core"
import * as fc from "fast-check"
import { conversation, toolCallOf, turnOf } from "./Conversations.js"
import {
  callStarts,
  choices,
  earliest,
  field,
  given,
  type Given,
  type Payload,
  seconds,
  weave,
  whenKnown
} from "./PayloadParts.js"

export const providerD = fc
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

export const providerEList = fc
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

export const providerEReport = fc
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

export const providerF = fc
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
