import type { Json } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { instant, key, NOW, number, text } from "./Vocabulary.js"
import type { FilterableCall, FilterableEvaluation } from "./FilterableCall.js"

export interface Named {
  readonly id: number
  readonly name: string
}

/** Calls with the agents and metrics they refer to. Ids of each kind count up from 1, as in a fresh database. */
export interface CallFixture {
  readonly agents: ReadonlyArray<Named>
  readonly metrics: ReadonlyArray<Named>
  readonly calls: ReadonlyArray<FilterableCall>
}

const named = (...names: ReadonlyArray<string>): ReadonlyArray<Named> => names.map((name, i) => ({ id: i + 1, name }))

/** Two of each have one name. */
export const AGENTS = named("Front desk", "Billing", "Billing", "Ärzte \u{1f600}")
export const METRICS = named("Politeness", "Latency", "Latency", "it's 100% resolved")

/** JSON documents as calls carry them: mostly objects of a few levels, with lists and nulls on the way. */
export const document: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: Json; document: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 2, arbitrary: text },
    { weight: 2, arbitrary: number },
    { weight: 1, arbitrary: fc.boolean() },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 2 }) },
    { weight: 2, arbitrary: tie("object") }
  ),
  object: fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: key }, { weight: 1, arbitrary: fc.constant("a.b") }),
    tie("value"),
    { minKeys: 1, maxKeys: 6, noNullPrototype: true }
  ),
  document: fc.oneof({ weight: 9, arbitrary: tie("object") }, { weight: 1, arbitrary: tie("value") })
})).document

const maybe = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> => fc.option(arbitrary, { freq: 3 })

/** Latencies as they are stored: mostly equal ones, some negative, and the least and the greatest. */
const answerLatencies = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: -3, max: 12 }).map((hundreds) => hundreds * 100) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(-(2 ** 31 - 1), 2 ** 31 - 1) }
  ),
  { maxLength: 8 }
)

const evaluations: fc.Arbitrary<ReadonlyArray<FilterableEvaluation>> = fc.subarray([...METRICS]).chain((metrics) =>
  fc.tuple(
    ...metrics.map(({ id, name }) =>
      fc
        .tuple(fc.oneof(number, fc.boolean(), text, fc.constant(null)), fc.option(answerLatencies, { nil: undefined }))
        .map(([value, latencies]) => ({
          metricId: id,
          metricName: name,
          value,
          ...(latencies === undefined ? {} : { answerLatencies: latencies })
        }))
    )
  )
)

/** A call with the id that is given; its own name is unique for it. */
export const filterableCall = (id = 1): fc.Arbitrary<FilterableCall> =>
  fc
    .record({
      agent: fc.constantFrom(...AGENTS),
      callId: text.map((text) => `${text}#${id}`),
      traceId: maybe(text),
      timestamp: instant.map((millis) => DateTime.unsafeMake(millis)),
      duration: maybe(number),
      success: maybe(fc.boolean()),
      isReviewed: fc.boolean(),
      customerNumber: maybe(text),
      callEndedReason: maybe(text),
      dropoffPoint: maybe(text),
      topic: maybe(text),
      feedback: maybe(text),
      metadata: document,
      dynamicVariables: document,
      evaluations
    })
    .map(({ agent, ...call }) => ({ id, ...call, agentId: agent.id, agentName: agent.name }))

/** A call at `NOW` of the first agent's, of which nothing is known but what is told. */
export const blankCall = (id: number, given: Partial<FilterableCall> = {}): FilterableCall => ({
  id,
  callId: `call ${id}`,
  traceId: null,
  timestamp: NOW,
  duration: null,
  success: null,
  isReviewed: false,
  customerNumber: null,
  callEndedReason: null,
  dropoffPoint: null,
  topic: null,
  feedback: null,
  agentId: 1,
  agentName: AGENTS[0]?.name ?? "",
  metadata: null,
  dynamicVariables: null,
  evaluations: [],
  ...given
})

/** A fixture with this many calls. */
export const callFixture = (size: number): fc.Arbitrary<CallFixture> =>
  fc
    .tuple(...Array.from({ length: size }, (_, i) => filterableCall(i + 1)))
    .map((calls) => ({ agents: AGENTS, metrics: METRICS, calls }))
