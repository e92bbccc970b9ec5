/**
 * Validating and planning a suite of 200 scenarios with 64 metrics each, from its text to its plan, compared with JSON.parse
 * and ajv with the suite's JSON Schema, which looks nothing up and computes no prices.
 */
import {
  type SuiteContext,
  AgentId,
  Credits,
  MetricId,
  planSuite,
  ProjectId,
  parseSuite,
  standardPrices,
  suiteJsonSchema
} from "@earshot/core"
import { jsonError } from "@earshot/core"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { benchmark } from "./Benchmark.js"
import { compare, format } from "./measure.js"

interface Size {
  readonly scenarios: number
  readonly metrics: number
  readonly rounds: number
}

const REPETITIONS = 10

const slugsOf = ({ metrics }: Size) => Array.from({ length: metrics }, (_, n) => `metric_number_${n}`)

const textOf = (size: Size): string =>
  JSON.stringify({
    version: "1",
    suite: { name: "Nightly" },
    scenarios: Array.from({ length: size.scenarios }, (_, n) => ({
      key: `scenario-${n}`,
      name: `Scenario ${n}`,
      type: "instruction",
      instructions: "Ask for a table for two on Friday evening, and change it to four people in the end.",
      expected_outcome: "A table for four is booked.",
      metrics: slugsOf(size),
      tags: ["nightly", "booking"]
    }))
  })

const contextOf = (size: Size): SuiteContext => ({
  agent: {
    id: AgentId.make(1),
    projectId: ProjectId.make(1),
    name: "A",
    supportedChannels: ["voice"],
    chatEndpoint: null,
    voiceEndpoint: null
  },
  played: { channels: [] },
  metrics: slugsOf(size).map((slug, n) => ({
    id: MetricId.make(n + 1),
    slug,
    name: slug,
    simulationEnabled: true,
    cost: Credits.fromMicros(50_000n)
  })),
  personalities: [],
  notEnabled: new Set(),
  testProfiles: [],
  tools: []
})

const validateSchema = new Ajv2020({ strict: false, allErrors: true }).compile(suiteJsonSchema)

const plan = (text: string, context: SuiteContext): boolean => {
  const document: unknown = JSON.parse(text)
  if (jsonError(document) !== undefined) return false
  const request = { channel: "voice", name: null, providerData: null, only: { keys: [], tags: [] } } as const
  return Either.isRight(planSuite(parseSuite(document), request, context, standardPrices))
}

const repeat = (name: string, validate: () => boolean) =>
  Effect.sync(() => {
    for (let i = 0; i < REPETITIONS; i++) if (!validate()) throw new Error(`${name} rejected the suite`)
  })

export const suitesBenchmark = benchmark<Size>({
  name: "suites",
  full: { scenarios: 200, metrics: 64, rounds: 15 },
  tiny: { scenarios: 2, metrics: 2, rounds: 2 },
  run: async (size, { print }) => {
    const text = textOf(size)
    const context = contextOf(size)
    const comparison = await Effect.runPromise(
      compare(
        size.rounds,
        repeat("The engine", () => plan(text, context)),
        repeat("ajv", () => validateSchema(JSON.parse(text)))
      )
    )
    print(
      `validation of a suite of ${size.scenarios} scenarios with ${size.metrics} metrics each, ${text.length} characters, ${size.rounds} rounds`
    )
    print(`  validate and plan vs JSON.parse and ajv: ${format(comparison, REPETITIONS)} (target: under 5)`)
  }
})
