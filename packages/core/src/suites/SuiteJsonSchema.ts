/**
 * The JSON Schema (2020-12) of a spec, for editors and other tools. It covers what a schema can express; validation also
 * checks that keys are unique, references exist and markers are well formed.
 */
import { LanguageCode } from "../catalog/LanguageCode.js"
import { VARIABLES_SECTION } from "../catalog/ProfileRules.js"
import { ConditionType, MAX_CONDITIONS } from "../evaluators/ConditionalActions.js"
import { ScenarioType } from "../evaluators/Evaluator.js"
import type { JsonObject } from "../kernel/Json.js"
import { AssertedSpeaker, type Assertion } from "../results/Assertion.js"
import { Speaker } from "../transcripts/Transcript.js"
import { SUITE_VERSION, SuiteLimits } from "./Suite.js"

/** A text with at least one character that is not whitespace. */
const nonBlank = (maxLength: number, description?: string): JsonObject => ({
  type: "string",
  minLength: 1,
  maxLength,
  pattern: "\\S",
  ...(description === undefined ? {} : { description })
})

const anyText = (description: string): JsonObject => ({ type: "string", maxLength: SuiteLimits.text, description })

const id: JsonObject = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

const count = (maximum: number, description: string): JsonObject => ({
  type: "integer",
  minimum: 1,
  maximum,
  description
})

const references = (maxItems: number, description: string): JsonObject => ({
  type: "array",
  maxItems,
  uniqueItems: true,
  items: { anyOf: [nonBlank(SuiteLimits.name), id] },
  description
})

const language: JsonObject = {
  anyOf: [{ type: "string", enum: [...LanguageCode.literals] }, { type: "null" }],
  description: "The caller's language."
}

const assertionOf = (
  type: Assertion["type"],
  description: string,
  required: ReadonlyArray<string>,
  properties: JsonObject
): JsonObject => ({
  type: "object",
  additionalProperties: false,
  required: ["type", ...required],
  properties: { type: { const: type, description }, ...properties }
})

const assertedSpeaker: JsonObject = {
  type: "string",
  enum: [...AssertedSpeaker.literals],
  description: "Whose turns are read (default: main_agent)."
}

const assertedText: JsonObject = {
  text: nonBlank(SuiteLimits.assertionText),
  speaker: assertedSpeaker,
  case_sensitive: { type: "boolean", description: "Whether case matters (default: false)." }
}

const turnCount = (description: string): JsonObject => count(SuiteLimits.turns, description)

const assertions: JsonObject = {
  type: "array",
  maxItems: SuiteLimits.assertions,
  items: {
    oneOf: [
      assertionOf("contains", "A turn contains the text.", ["text"], assertedText),
      assertionOf("not_contains", "No turn contains the text.", ["text"], assertedText),
      assertionOf("regex", "A turn has a match of the RE2 pattern.", ["pattern"], {
        pattern: nonBlank(SuiteLimits.assertionText),
        speaker: assertedSpeaker
      }),
      assertionOf("tool_called", "The agent calls the tool.", ["tool"], {
        tool: nonBlank(SuiteLimits.name),
        arguments: { type: "object", description: "The arguments that the call has at least." }
      }),
      assertionOf("tool_order", "The agent calls the tools in this order; others may come between.", ["tools"], {
        tools: { type: "array", minItems: 2, maxItems: SuiteLimits.tools, items: nonBlank(SuiteLimits.name) }
      }),
      assertionOf("max_latency", "Every answer of the agent starts in time.", ["milliseconds"], {
        milliseconds: count(SuiteLimits.latency, "Milliseconds after the end of the caller's speech.")
      }),
      {
        ...assertionOf("turns", "The number of turns of both speakers.", [], {
          min: turnCount("The least number."),
          max: turnCount("The greatest number.")
        }),
        anyOf: [{ required: ["min"] }, { required: ["max"] }]
      },
      assertionOf("ended_by", "Who hangs up.", ["speaker"], {
        speaker: { type: "string", enum: [...Speaker.literals] }
      })
    ]
  },
  description: "What has to be true of each run; checked without a language model."
}

const shared: JsonObject = {
  frequency: count(SuiteLimits.frequency, "Runs of each scenario (default: 1)."),
  language,
  max_duration: count(SuiteLimits.maxDuration, "The longest duration of a run, in seconds (default: 300)."),
  metrics: references(SuiteLimits.metrics, "Slugs or ids of the agent's metrics that score the runs."),
  personality: {
    anyOf: [
      nonBlank(SuiteLimits.name),
      id,
      { type: "null" },
      {
        type: "object",
        additionalProperties: false,
        required: ["name"],
        properties: {
          name: nonBlank(SuiteLimits.name),
          language,
          description: anyText("How the caller speaks and behaves.")
        }
      }
    ],
    description: "The name or id of a personality that the project has enabled, or one defined inline."
  },
  test_profile: {
    anyOf: [
      nonBlank(SuiteLimits.name),
      id,
      { type: "null" },
      {
        type: "object",
        additionalProperties: false,
        required: ["name"],
        properties: {
          name: nonBlank(SuiteLimits.name),
          information: { type: "object", properties: { [VARIABLES_SECTION]: { type: "object" } } }
        }
      }
    ],
    description: "The name or id of one of the project's test profiles, or one defined inline."
  },
  tags: {
    type: "array",
    maxItems: SuiteLimits.tags,
    items: nonBlank(SuiteLimits.tag),
    description: "Labels to filter scenarios by."
  },
  assertions
}

const conditionalActions: JsonObject = {
  type: "object",
  additionalProperties: false,
  required: ["role", "conditions"],
  properties: {
    role: { type: "string", maxLength: 10_000, description: "Who the caller is." },
    conditions: {
      type: "array",
      minItems: 1,
      maxItems: MAX_CONDITIONS,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "condition", "action"],
        properties: {
          id: {
            type: "integer",
            minimum: 0,
            maximum: MAX_CONDITIONS - 1,
            description: "0, 1, 2, ... in the order of the list."
          },
          condition: {
            anyOf: [nonBlank(10_000), { type: "integer", minimum: 0, maximum: MAX_CONDITIONS - 1 }],
            description:
              "FIRST_MESSAGE for item 0; for the others what the main agent does, in the third person, or the id of another item."
          },
          action: nonBlank(
            10_000,
            'What the caller says, with markers: <silence time="2" />, <hold time="5" />, [laughter], <endcall />.'
          ),
          type: { type: "string", enum: [...ConditionType.literals] },
          fixed_message: { type: "boolean", description: "Whether the speech is spoken verbatim." }
        }
      }
    }
  }
}

const isConditional: JsonObject = { properties: { type: { const: "conditional_actions" } }, required: ["type"] }

const scenario: JsonObject = {
  type: "object",
  additionalProperties: false,
  required: ["key", "name", "type"],
  properties: {
    key: nonBlank(SuiteLimits.key, "Identifies the scenario in reports; unique in the suite."),
    name: nonBlank(SuiteLimits.scenarioName),
    type: { type: "string", enum: [...ScenarioType.literals] },
    instructions: nonBlank(SuiteLimits.instructions, "What the caller does; for conditional_actions, their JSON text."),
    conditional_actions: conditionalActions,
    expected_outcome: anyText("What makes a run a success."),
    first_message: anyText("What the caller says first."),
    tools: references(SuiteLimits.tools, "Names or ids of the project's tools that the caller can use."),
    ...shared
  },
  if: isConditional,
  then: { oneOf: [{ required: ["instructions"] }, { required: ["conditional_actions"] }] },
  else: { required: ["instructions"], properties: { conditional_actions: false } }
}

/** The path that serves the schema; editors can be pointed to it. */
export const SUITE_SCHEMA_PATH = "/test_framework/v2/scenarios/json_schema/"

export const suiteJsonSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Earshot test suite",
  description: "A portable test suite of a voice agent.",
  type: "object",
  additionalProperties: false,
  required: ["version", "suite", "scenarios"],
  properties: {
    version: { const: SUITE_VERSION },
    suite: {
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: { name: nonBlank(SuiteLimits.suiteName), description: anyText("What the suite is for.") }
    },
    agent_id: { ...id, description: "The agent to test; the request's agent_id takes precedence." },
    defaults: {
      type: "object",
      additionalProperties: false,
      properties: {
        ...shared,
        concurrency_limit: count(SuiteLimits.concurrency, "The greatest number of concurrent runs.")
      },
      description: "Defaults of every scenario; metrics, tags and assertions are added to the scenario's own."
    },
    scenarios: { type: "array", minItems: 1, maxItems: SuiteLimits.scenarios, items: scenario }
  }
}
