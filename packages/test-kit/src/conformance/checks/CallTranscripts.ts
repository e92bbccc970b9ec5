/** E10: recordings, transcript formats and times. */
import { checksOf } from "../Check.js"
import { type Fixture, PATHS } from "../Fixture.js"
import { wav } from "../../calls/Audio.js"
import {
  bodyOf,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectOnlyFieldErrors,
  expectEqual,
  expectStatus,
  Mismatch,
  shown
} from "../Expect.js"
import { roleNames, TRANSCRIPT_TYPES } from "../Interface.js"
import * as fc from "fast-check"
import { payloadOf } from "../../transcripts/Payloads.js"
import { expectCall, messages, talk, rejected } from "./CallSupport.js"

/** Milliseconds between a delivery's arrival and its record. */
const ARRIVAL = 5000

export const callTranscripts = checksOf("E10", {
  recording: [
    "accepts a recording as a file of a multipart body, whose length is the call's duration",
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
      fixture.deleteAtEnd(`${PATHS.calls}${String(made.id)}/`)
      expectEqual("duration", made.duration, "00:03")
    }
  ],
  "recording-twice": [
    "prefers a recording's file over its URL, which is not fetched",
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
      fixture.deleteAtEnd(`${PATHS.calls}${String(made.id)}/`)
      expectEqual("the recording", [made.duration, made.error_message], ["00:03", null])
    }
  ],
  "recording-url": [
    "rejects a recording URL in the server's private network",
    async (fixture) => {
      for (const url of ["http://127.0.0.1/a.wav", "http://[::1]/a.wav", "http://169.254.169.254/", "file:///a.wav"]) {
        expectFieldErrors(await rejected(fixture, { voice_recording_url: url }), "voice_recording_url")
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
        expectFieldErrors(await rejected(fixture, { main_agent_channel_index: index }), "main_agent_channel_index")
      }
    }
  ],
  "service-roles": [
    "the format service accepts only the roles Testing Agent and Main Agent",
    async (fixture) => {
      for (const role of ["agent", "user", "main agent", "bot", ""]) {
        for (const type of [{}, { transcript_type: "service" }]) {
          const body = { ...type, transcript_json: [...talk, messages(role, "Hi", 65, 66)] }
          expectFieldErrorWithin(await rejected(fixture, body), "transcript_json")
        }
      }
    }
  ],
  "transcript-text": [
    "transcript has one line '[MM:SS] <role>: <text>' per turn, transcript_object the turns in seconds, duration the end",
    async (fixture) => {
      const made = await fixture.ingest({ call_id: fixture.callId(), transcript_json: talk })
      expectEqual(
        "transcript",
        made.transcript,
        "[00:00] Testing Agent: Do you have a table for two?\n[01:02] Main Agent: At eight, by the window."
      )
      expectEqual("transcript_object", made.transcript_object, talk)
      expectEqual("duration", made.duration, "01:04")
    }
  ],
  "transcript-type": [
    "rejects an unknown transcript_type; null means service",
    async (fixture) => {
      for (const type of ["provider_z", "", "constructor", 5]) {
        expectFieldErrors(await rejected(fixture, { transcript_type: type }), "transcript_type")
      }
      await fixture.ingest({ call_id: fixture.callId(), transcript_type: null, transcript_json: talk })
    }
  ],
  ...Object.fromEntries(
    TRANSCRIPT_TYPES.map((type) => [
      `format-${type}`,
      [
        `decodes the format ${type} to turns with times in seconds`,
        async (fixture: Fixture) => {
          for (const sample of fc.sample(payloadOf(type), { seed: 8, numRuns: 4 })) {
            const index = sample.context.mainAgentChannelIndex
            const made = await fixture.ingest({
              call_id: fixture.callId(),
              transcript_type: type,
              transcript_json: sample.payload,
              ...(index === undefined ? {} : { main_agent_channel_index: index })
            })
            expectEqual(
              `transcript_object of ${JSON.stringify(sample.payload).slice(0, 200)}`,
              // An envelope with an empty list is a call without a transcript.
              made.transcript_object ?? [],
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
    "none-mono requires a recording, and a transcriber",
    async (fixture) => {
      expectStatus(await rejected(fixture, { transcript_type: "none-mono" }), 400)
      const reply = await fixture.ask("POST", PATHS.observe, {
        multipart: {
          call_id: fixture.callId(),
          agent: await fixture.agent(),
          transcript_type: "none-mono",
          voice_recording: new Blob([wav(3)])
        }
      })
      if (reply.status === 400) {
        expectOnlyFieldErrors(reply, "transcript_type")
        return
      }
      const made = bodyOf(reply, 201)
      fixture.deleteAtEnd(`${PATHS.calls}${String(made.id)}/`)
      expectCall(made)
      expectEqual("duration", made.duration, "00:03")
    }
  ],
  timestamp: [
    "stores timestamp as an instant, whatever its offset; default: the time of arrival",
    async (fixture) => {
      const made = await fixture.ingest({ call_id: fixture.callId(), timestamp: "2026-03-01T12:00:00+02:00" })
      expectEqual("timestamp", new Date(String(made.timestamp)).toISOString(), "2026-03-01T10:00:00.000Z")
      expectFieldErrors(await rejected(fixture, { timestamp: "2026-02-30T00:00:00Z" }), "timestamp")
      for (const untold of [{}, { timestamp: null }]) {
        const call = await fixture.ingest({ call_id: fixture.callId(), ...untold })
        const apart = Math.abs(Date.parse(String(call.timestamp)) - Date.parse(String(call.created_at)))
        if (!(apart <= ARRIVAL))
          throw new Mismatch(
            `timestamp is ${shown(call.timestamp)} of a call that was created ${shown(call.created_at)}`
          )
      }
    }
  ]
})
