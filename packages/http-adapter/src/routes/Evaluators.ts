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

/** E4 and its neighbours. */
export const evaluators: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v1/scenarios/adv_update/",
    id: "evaluators.bulkUpdate",
    operation: "evaluators.bulkUpdate",
    tag,
    summary: "Bulk update evaluators",
    description: [
      "Changes all of the named evaluators or, where anything is wrong, none. Either `agent` or `project` is required;",
      "`append_instruction` is joined to the instructions once a call, so a repeated call appends again."
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
        description: "The first of the evaluators named as it is now; with `many=true` all of them, in their order.",
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
      description: "Fields that are left out stay as they are; the whole is judged.",
      example: { name: "Books two tables", tags: ["nightly"] },
      run: (id, body) => Effect.flatMap(Evaluators, (evaluators) => evaluators.update(id, body))
    },
    delete: {
      operation: "evaluators.delete",
      run: (id) => Effect.flatMap(Evaluators, (evaluators) => evaluators.delete(id))
    }
  })
]

/** The use case has read the same word, and refused what is none. */
const isMany = (query: Readonly<Record<string, unknown>>): boolean => /^true$/i.test(String(query.many))
