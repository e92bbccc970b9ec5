import {
  encodeResult,
  encodeValidatedSuite,
  JsonObject,
  SUITE_SCHEMA_PATH,
  suiteJsonSchema,
  SuiteRequestInput,
  SuiteRunInput,
  Suites,
  ValidatedSuiteWire
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { anyEncoding, type Endpoint, json } from "../Endpoint.js"
import { result } from "./Results.js"

const tag = "Test suites"

const example = {
  spec: {
    version: "1",
    suite: { name: "Smoke" },
    scenarios: [
      { key: "books", name: "Books a table", type: "instruction", instructions: "Ask for a table for two on Friday." }
    ]
  },
  agent_id: 1,
  channel: "text"
}

/** E1 and related endpoints. */
export const suites: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v2/scenarios/validate_scenarios_json/",
    id: "suites.validate",
    operation: "suites.validate",
    tag,
    summary: "Validate a test-suite spec",
    description: [
      "Validates a spec, given as `spec` or as a JSON `file`, against its agent, and returns the plan of a run with its",
      "estimated cost. Creates nothing and places no calls."
    ].join(" "),
    body: { name: "SuiteRequest", schema: SuiteRequestInput, encodings: anyEncoding, example },
    responses: [
      { status: 200, description: "The plan of a run.", body: { name: "ValidatedSuite", schema: ValidatedSuiteWire } }
    ],
    handle: ({ body }) =>
      Effect.flatMap(Suites, (all) => Effect.map(all.validate(body), (plan) => json(200, encodeValidatedSuite(plan))))
  },
  {
    method: "POST",
    path: "/test_framework/v2/scenarios/run_scenarios_json/",
    id: "suites.run",
    operation: "suites.run",
    tag,
    summary: "Run a test-suite spec",
    description: "Validates a spec as `validate_scenarios_json` does, and creates a result with queued runs.",
    body: { name: "SuiteRunRequest", schema: SuiteRunInput, encodings: anyEncoding, example },
    responses: [{ status: 201, description: "The created result.", body: result }],
    handle: ({ body }) =>
      Effect.flatMap(Suites, (all) => Effect.map(all.run(body), (made) => json(201, encodeResult(made))))
  },
  {
    method: "GET",
    path: SUITE_SCHEMA_PATH,
    id: "suites.schema",
    operation: null,
    tag,
    summary: "Read the JSON Schema of test-suite specs",
    description: "JSON Schema 2020-12, for editors and other tools. Requires no credential.",
    responses: [{ status: 200, description: "The JSON Schema.", body: { name: "JsonObject", schema: JsonObject } }],
    handle: () => Effect.succeed(json(200, suiteJsonSchema))
  }
]
