/** E10: redaction and its price. */
import { checksOf } from "../Check.js"
import { sensitive, TRANSCRIPT_TYPES } from "../Interface.js"
import { bodyOf, expectFieldErrors, expectEqual, expectTrue, shown } from "../Expect.js"
import { at } from "../../Documents.js"
import { PATHS } from "../Fixture.js"
import {
  messages,
  rejected,
  spoken,
  chargesFromNow,
  codeMetrics,
  evaluated,
  email,
  ssn,
  secretsIn
} from "./CallSupport.js"

export const callRedaction = checksOf("E10", {
  "redact-fields": [
    "redact_fields accepts each field of the interface and no other",
    async (fixture) => {
      await fixture.ingest({ call_id: fixture.callId(), redact_fields: sensitive })
      expectFieldErrors(await rejected(fixture, { redact_fields: ["ssn", "shoe_size"] }), "redact_fields[1]")
      expectFieldErrors(await rejected(fixture, { redact_fields: "ssn" }), "redact_fields")
    }
  ],
  redaction: [
    "each of redact_fields removes its values from the transcript and keeps all others",
    async (fixture) => {
      const sentences = Object.values(spoken).map(({ says }, at) => messages("Testing Agent", says, at, at + 0.9))
      const transcript_json = [...sentences, messages("Main Agent", "Anything else?", 100, 101)]
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
      expectEqual("what is left without redact_fields", await left([]), fields)
      for (const field of fields) {
        const gone = [field, ...(spoken[field]?.covers ?? [])]
        const rest = fields.filter((one) => !gone.includes(one))
        const found = (await left([field])).filter((one) => one === field || !gone.includes(one))
        expectEqual(`what is left of ${field}`, found, rest)
      }
      const pair = ["ssn", "email_address"]
      expectEqual(
        "what is left of two",
        await left(pair),
        fields.filter((one) => !pair.includes(one))
      )
    }
  ],
  "redaction-price": [
    "charges redaction 0.4 credits a minute once per call, independent of the number of fields",
    async (fixture) => {
      const charged = await chargesFromNow(fixture)
      const charges = async (fields: ReadonlyArray<string> | undefined, seconds: number) => {
        const body = {
          call_id: fixture.callId(),
          transcript_json: [messages("Main Agent", "Hello", 0, seconds)],
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
      expectEqual("the charge of 90 seconds for one field", await charges(["ssn"], 90), ["0.600000"])
      expectEqual("the charge of 90 seconds for all fields", await charges(sensitive, 90), ["0.600000"])
      expectEqual("the charge of 1 second", await charges(["age"], 1), ["0.006667"])
      expectEqual("the charge without fields", await charges(undefined, 90), [])
      expectEqual("the charge of an empty list", await charges([], 90), [])
    }
  ],
  "redaction-formats": [
    "redact_fields applies to transcripts in every format, and removes nothing else",
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
        expectEqual(`what is left of ${transcript_type} without redact_fields`, await left([]), [email, ssn, ...rest])
        expectEqual(`what is left of ${transcript_type}`, await left(["email_address"]), [ssn, ...rest])
        expectEqual(`what is left of ${transcript_type}`, await left(["ssn", "email_address"]), rest)
      }
    }
  ],
  "redaction-tools": [
    "redact_fields applies to the arguments and results of tool calls",
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
      const given = async (fields: object) => {
        const body = { call_id: fixture.callId(), agent, transcript_type: "provider_a", transcript_json, ...fields }
        const made = await fixture.ingest({ ...body, metric_ids: String(id("tools")) })
        const messages = await evaluated(fixture, made.id, id("tools"), () => true)
        expectEqual("the tool calls that are seen", at(messages, "value"), 1)
        return String(at(messages, "explanation"))
      }
      const open = await given({})
      const [, before, after] = open.split(email)
      expectTrue(
        `the tool calls are ${shown(open)}, without what was told`,
        before !== undefined && after !== undefined
      )
      const redacted = await given({ redact_fields: ["email_address"] })
      expectTrue(`the tool calls are ${shown(redacted)} after redaction`, !redacted.includes(email))
      for (const kept of ["look_up", "ordered a lamp"]) {
        expectTrue(`the tool calls are ${shown(redacted)}, without ${kept}`, redacted.includes(kept))
      }
    }
  ]
})
