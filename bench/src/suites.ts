/**
 * What it costs to validate a suite of 200 scenarios with 64 metrics each, from its text to its plan, against JSON.parse
 * and ajv with the suites' JSON Schema on the same text, which looks nothing up and prices nothing.
 */
import {
  type AgentWorld,
  AgentId,
  Credits,
  MetricId,
  planSuite,
  ProjectId,
  readSuite,
  standardPrices,
  suiteJsonSchema
} from "@earshot/core"
import { jsonFault } from "@earshot/core"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Either from "effect/Either"

export const name = "suites"

const SCENARIOS = 200
const METRICS = 64
const ROUNDS = 15

const slugs = Array.from({ length: METRICS }, (_, n) => `metric_number_${n}`)

const text = JSON.stringify({
  version: "1",
  suite: { name: "Nightly" },
  scenarios: Array.from({ length: SCENARIOS }, (_, n) => ({
    key: `scenario-${n}`,
    name: `Scenario ${n}`,
    type: "instruction",
    instructions: "Ask for a table for two on Friday evening, and change it to four people in the end.",
    expected_outcome: "A table for four is booked.",
    metrics: slugs,
    tags: ["nightly", "booking"]
  }))
})

const world: AgentWorld = {
  agent: { id: AgentId.make(1), projectId: ProjectId.make(1), name: "A", supportedChannels: ["voice"] },
  metrics: slugs.map((slug, n) => ({
    id: MetricId.make(n + 1),
    slug,
    name: slug,
    simulationEnabled: true,
    cost: Credits.ofMicros(50_000n)
  })),
  personalities: [],
  notEnabled: new Set(),
  testProfiles: [],
  tools: []
}

const validateSchema = new Ajv2020({ strict: false, allErrors: true }).compile(suiteJsonSchema)

const ours = (): boolean => {
  const document: unknown = JSON.parse(text)
  if (jsonFault(document) !== undefined) return false
  const request = { channel: "voice", name: null, providerData: null } as const
  return Either.isRight(planSuite(readSuite(document), request, world, standardPrices))
}

const theirs = (): boolean => validateSchema(JSON.parse(text))

const timed = (validate: () => boolean): number => {
  const before = process.hrtime.bigint()
  for (let i = 0; i < 10; i++) if (!validate()) return Number.NaN
  return Number(process.hrtime.bigint() - before) / 1e7
}

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

export const run = (): Promise<void> => {
  timed(ours)
  timed(theirs)
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    if (round % 2 === 0) return { own: timed(ours), schema: timed(theirs) }
    const schema = timed(theirs)
    return { own: timed(ours), schema }
  })
  console.log(`suite of ${SCENARIOS} scenarios with ${METRICS} metrics each, ${text.length} characters`)
  console.log(`  read, judge and plan   ${median(rounds.map(({ own }) => own)).toFixed(2)} ms`)
  console.log(`  JSON.parse and ajv     ${median(rounds.map(({ schema }) => schema)).toFixed(2)} ms`)
  console.log(
    `  median ratio           ${median(rounds.map(({ own, schema }) => own / schema)).toFixed(2)} (under 5 wanted)`
  )
  return Promise.resolve()
}
