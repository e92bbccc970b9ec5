/** Bodies of the interface's endpoints and of workers' reports. */
import { Channel, LanguageCode, TranscriptFormat } from "@earshot/core"
import * as fc from "fast-check"
import * as CatalogArbitraries from "../catalog/CatalogArbitraries.js"
import { invalidIngestFields as ingestFlaws, ingestInput } from "../calls/IngestBodies.js"
import { suite } from "../suites/SuiteArbitraries.js"
import { flaw, type Input, type InputFlaw, type InputSubject, ofChoice, ofId, ofName, ofText } from "./Flaws.js"

const id = fc.integer({ min: 1, max: 1_000_000 })

/** Deliveries in the default format, so that an invalid transcript is one of that format. */
const delivered: fc.Arbitrary<Input> = ingestInput(1).map(({ transcript_json, transcript_type, ...rest }) =>
  transcript_type === undefined ? { ...rest, transcript_json } : rest
)

/** Fields that are validated together, and so are invalid together. */
const besides = (field: string): Input =>
  field === "transcript_json"
    ? { transcript_type: TranscriptFormat.DEFAULT_TYPE }
    : field === "transcript_type"
      ? { transcript_json: null }
      : {}

const sorted = (patch: Input): Input =>
  Object.fromEntries(Object.entries(patch).sort(([one], [other]) => (one < other ? -1 : 1)))

const personalities = (wrong: string, value: unknown, path = "personalities") =>
  flaw(wrong, path, value, "personalities")

/** Up to 100 ids to delete. */
const ofIds = (field: string): InputSubject => ({
  valid: fc.array(id, { minLength: 1, maxLength: 100 }).map((ids): Input => ({ [field]: ids })),
  flaws: [
    flaw("nothing", field, undefined),
    flaw("null", field, null),
    flaw("none", field, []),
    flaw(
      "101",
      field,
      Array.from({ length: 101 }, (_, at) => at + 1)
    ),
    flaw("an id alone", field, 1),
    flaw("all", field, "all"),
    flaw("a word among ids", `${field}[1]`, [1, "one"], field),
    flaw("null among ids", `${field}[0]`, [null, 2], field),
    flaw("a fraction among ids", `${field}[0]`, [1.5], field),
    flaw("no id", `${field}[2]`, [1, 2, 0], field),
    flaw("an id beyond 2^53", `${field}[0]`, [2 ** 53], field)
  ]
})

/** A spec is sent in one of two fields. */
const spec = (wrong: string, path: string, given: unknown, file?: unknown): InputFlaw => ({
  wrong,
  patch: { spec: given, file },
  path
})

const lease = fc.stringMatching(/^[a-z0-9]{1,30}$/)
const leaseSeconds = fc.integer({ min: 1, max: 3600 })

/** Invalid values of an integer from 1 to a limit. */
const ofCount = (field: string, most: number): ReadonlyArray<InputFlaw> => [
  flaw("none at all", field, 0),
  flaw("one too many", field, most + 1),
  flaw("a half", field, 0.5),
  flaw("a word", field, "many")
]

/** Workers' reports under a lease. */
const workers = {
  claim: {
    valid: fc.record(
      {
        channel: fc.constantFrom(...Channel.literals),
        limit: fc.integer({ min: 1, max: 100 }),
        lease_seconds: leaseSeconds
      },
      { requiredKeys: ["channel"] }
    ),
    flaws: [
      flaw("nothing", "channel", undefined),
      ...ofChoice("channel"),
      ...ofCount("limit", 100),
      ...ofCount("lease_seconds", 3600)
    ]
  },
  heartbeat: {
    valid: fc.record({ lease, lease_seconds: leaseSeconds }, { requiredKeys: ["lease"] }),
    flaws: [...ofName("lease", 100), ...ofCount("lease_seconds", 3600)]
  },
  complete: {
    valid: fc.record(
      {
        lease,
        transcript_json: fc.constantFrom([], [{ role: "Main Agent", content: "Hi", start_time: 0, end_time: 1 }]),
        duration: fc.constantFrom(null, 0, 12.5),
        call_ended_reason: fc.constantFrom(null, "", "hung up"),
        success: fc.option(fc.boolean())
      },
      { requiredKeys: ["lease"] }
    ),
    flaws: [
      ...ofName("lease", 100),
      flaw("a word", "duration", "long"),
      flaw("a word", "success", "perhaps"),
      ...ofText("call_ended_reason", 100),
      flaw("a file that is a text", "voice_recording", "RIFF"),
      flaw("a blank address", "voice_recording_url", " ")
    ]
  },
  fail: {
    valid: fc.record({ lease, error: CatalogArbitraries.name(80) }),
    flaws: [...ofName("lease", 100), ...ofName("error", 10_000)]
  }
} as const satisfies Readonly<Record<string, InputSubject>>

export const requests = {
  ...workers,
  checkout: { valid: fc.record({ repo: fc.constantFrom("web", "harbor.api") }), flaws: ofName("repo", 1000) },
  simplification: {
    valid: fc.record({ original_prompt: CatalogArbitraries.name(80), metric_id: fc.option(id) }),
    flaws: [...ofText("original_prompt", 50_000), flaw("a blank text", "original_prompt", " "), ...ofId("metric_id")]
  },
  call: {
    valid: delivered,
    flaws: ingestFlaws
      // Whether an assistant_id exists is not validated here.
      .filter(([, field, value]) => field !== "assistant_id" || value !== "unknown")
      .map(([wrong, field, value, path = field]): InputFlaw => ({
        wrong,
        patch: sorted({ ...besides(field), [field]: value }),
        path
      }))
  },
  enable_personalities: {
    valid: fc
      .record({
        named: fc.uniqueArray(id, { minLength: 1, maxLength: 5 }),
        form: fc.constantFrom("id", "ids", "objects", "text", "all"),
        language: fc.constantFrom(undefined, null, "", ...LanguageCode.literals)
      })
      .map(({ form, language, named }): Input => ({
        ...(language === undefined ? {} : { language }),
        personalities:
          form === "id"
            ? named[0]
            : form === "ids"
              ? named
              : form === "objects"
                ? named.map((one) => ({ id: one }))
                : form === "text"
                  ? named.join(", ")
                  : "all"
      })),
    flaws: [
      personalities("nothing", undefined),
      personalities("null", null),
      personalities("none", []),
      personalities("a blank text", "  "),
      personalities("a word", "every"),
      personalities("a word in a text of ids", "1,two"),
      personalities("an id that is none", 0),
      personalities("an object without an id", { name: "Ann" }),
      personalities("a word among ids", [1, "one"], "personalities[1]"),
      personalities("an object without an id among ids", [{ name: "Ann" }, 2], "personalities[0]"),
      personalities(
        "1,001",
        Array.from({ length: 1001 }, (_, at) => at + 1)
      ),
      ...ofChoice("language")
    ]
  },
  bulk_delete: ofIds("result_ids"),
  delete_runs: ofIds("run_ids"),
  suite_request: {
    valid: fc.record({ spec: suite, agent_id: id, name: fc.constantFrom(null, "", "Nightly") }),
    flaws: [
      spec("neither spec nor file", "spec", undefined),
      spec("neither spec nor file", "file", undefined),
      spec("a list", "spec", []),
      spec("a number", "spec", 5),
      spec("a text that is no JSON", "spec", "version: 1"),
      spec("both", "file", {}, "{}"),
      spec("an address for a file", "file", undefined, "https://example.com/suite.json"),
      spec("a file that is no JSON", "file", undefined, "version: 1"),
      spec("a file that is a number", "file", undefined, 5),
      ...ofId("agent_id"),
      ...ofText("name", 255),
      ...ofChoice("channel"),
      flaw("data that is a list", "provider_d_data", [1]),
      flaw("data that is a text", "provider_e_data", "x")
    ]
  }
} as const satisfies Readonly<Record<string, InputSubject>>
