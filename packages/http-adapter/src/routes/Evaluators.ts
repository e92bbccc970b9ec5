import {
  BulkUpdateInput,
  BulkUpdateQuery,
  ConditionalActionsWire,
  encodeEvaluator,
  Evaluator,
  EvaluatorDraft,
  EvaluatorId,
  EvaluatorPatch,
  EvaluatorQuery,
  Evaluators
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json, type NamedSchema } from "../Endpoint.js"
import { resource } from "./Resource.js"

const tag = "Evaluators"

const evaluator: NamedSchema = {
  name: "Evaluator",
  schema: Schema.Struct({ ...Evaluator.fields, conditional_actions: Schema.NullOr(ConditionalActionsWire) })
}

/** E4 and related endpoints. */
export const evaluators: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v1/scenarios/adv_update/",
    id: "evaluators.bulkUpdate",
    operation: "evaluators.bulkUpdate",
    tag,
    summary: "Bulk update evaluators",
    description: [
      "Changes all of the given evaluators, or none if there is an error. Either `agent` or `project` is required.",
      "`append_instruction` is appended on every request, so this is not idempotent with it."
    ].join(" "),
    query: BulkUpdateQuery,
    body: {
      name: "BulkUpdate",
      schema: BulkUpdateInput,
      encodings: ["json"],
      example: { scenarios: [1, 2], project: 1, append_instruction: " Be brief.", max_duration: 300 }
    },
    responses: [
      {
        status: 200,
        description: "The first of the updated evaluators; with `many=true` all of them, in the order given.",
        body: {
          name: "BulkUpdated",
          schema: Schema.Union(Schema.make(evaluator.schema.ast), Schema.Array(Schema.make(evaluator.schema.ast)))
        }
      }
    ],
    handle: ({ body, query }) =>
      Effect.flatMap(Evaluators, (evaluators) =>
        Effect.map(evaluators.bulkUpdate(body, query), (changed) =>
          json(200, isMany(query) ? changed.map(encodeEvaluator) : changed.map(encodeEvaluator)[0])
        )
      )
  },
  ...resource({
    path: "/test_framework/v1/scenarios/",
    tag,
    noun: "evaluator",
    name: "Evaluator",
    id: EvaluatorId,
    wire: evaluator.schema,
    encode: encodeEvaluator,
    create: {
      operation: "evaluators.create",
      schema: EvaluatorDraft,
      encodings: anyEncoding,
      example: {
        agent: 1,
        name: "Books a table",
        scenario_type: "instruction",
        instructions: "Ask for a table for two on Friday.",
        tags: ["smoke"]
      },
      run: (body) => Effect.flatMap(Evaluators, (evaluators) => Effect.map(evaluators.create(body), encodeEvaluator))
    },
    list: {
      operation: "evaluators.list",
      query: EvaluatorQuery,
      run: (query) => Effect.flatMap(Evaluators, (evaluators) => evaluators.list(query))
    },
    read: {
      operation: "evaluators.read",
      run: (id) => Effect.flatMap(Evaluators, (evaluators) => evaluators.read(id))
    },
    update: {
      operation: "evaluators.update",
      schema: EvaluatorPatch,
      encodings: anyEncoding,
      description: "Omitted fields keep their values. The merged evaluator must be valid.",
      example: { name: "Books two tables", tags: ["nightly"] },
      run: (id, body) => Effect.flatMap(Evaluators, (evaluators) => evaluators.update(id, body))
    },
    delete: {
      operation: "evaluators.delete",
      run: (id) => Effect.flatMap(Evaluators, (evaluators) => evaluators.delete(id))
    }
  })
]

/** The use case has already validated `many`. */
const isMany = (query: Readonly<Record<string, unknown>>): boolean => /^true$/i.test(String(query.many))
