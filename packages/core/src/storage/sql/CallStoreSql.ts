import { inInterfaceOrder } from "@earshot/redaction"
import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import type { CallRecord } from "../../calls/CallRecord.js"
import type { CallCriteria } from "../../calls/CallQuery.js"
import { CallStore } from "../../calls/CallStore.js"
import { type CallExpansions, listedCall } from "../../calls/ListedCall.js"
import type { CallId } from "../../kernel/Ids.js"
import { PageBytes, type PageRequest } from "../../kernel/Pages.js"
import { type CallColumn, columnsOf, EVALUATED, REVIEWED } from "./CallColumns.js"
import * as CallDeliverySql from "./CallDeliverySql.js"
import { everything, fieldsOf, makeReader } from "./CallRows.js"
import { Dialect } from "./Dialect.js"
import * as FilterSql from "./FilterSql.js"
import { keyset } from "./Keyset.js"
import { callsInScope } from "./ScopeSql.js"
import { readRows } from "./Rows.js"
import { growing } from "./Reads.js"
import { storing } from "./Storing.js"

export const layer = Layer.scoped(
  CallStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const reader = makeReader(sql, dialect)
    const pageBytes = yield* PageBytes
    const deliver = yield* CallDeliverySql.make
    const redactions = readRows(Schema.Struct({ redact_fields: Schema.String }), (row) => fieldsOf(row.redact_fields))
    const context = yield* Effect.context<SqlClient | Dialect>()

    const reached = (permit: Permit): Fragment => callsInScope(sql, tables, permit)

    const find = (permit: Permit, id: CallId) => reader.one(sql`c.id = ${id} AND ${reached(permit)}`)

    const listed = (permit: Permit, question: CallCriteria, page: PageRequest, expand: CallExpansions) =>
      Effect.gen(function* () {
        const scope = sql.and([
          reached(permit),
          ...(question.agentId === undefined ? [] : [sql`c.agent_id = ${question.agentId}`]),
          ...(question.projectId === undefined ? [] : [sql`c.project_id = ${question.projectId}`])
        ])
        const matches = yield* FilterSql.compile(question.filter, { calls: "c", scope, now: question.now })
        return yield* reader.page(
          pageBytes,
          sql`${scope} AND ${matches} AND ${keyset(sql, page, "c.id")}`,
          page,
          expand
        )
      }).pipe(Effect.provide(context))

    const save = (permit: Permit, call: CallRecord, columns: ReadonlyArray<CallColumn>) =>
      Effect.asVoid(
        sql`UPDATE ${tables.calls} SET ${sql.update(columnsOf(call, columns))}
            WHERE id = ${call.id} AND organization_id = ${permit.organizationId}`
      )

    return CallStore.of({
      deliver: (permit, delivery) =>
        delivery.agent.organizationId === permit.organizationId
          ? deliver(delivery)
          : Effect.dieMessage("A delivery named an agent of another organization"),
      find: (permit, id) => find(permit, id).pipe(storing("CallStore.find")),
      findByCallId: (permit, agent, callId) =>
        reader
          .one(sql`c.agent_id = ${agent} AND c.call_id = ${callId} AND ${reached(permit)}`)
          .pipe(storing("CallStore.findByCallId")),
      redactFieldsOf: (permit, { agentId, callIds }) =>
        sql`SELECT c.redact_fields FROM ${tables.calls} c
            WHERE c.organization_id = ${permit.organizationId} AND c.redact_fields <> ''
              AND c.call_id IN ${dialect.texts(callIds)} AND ${reached(permit)}
              AND ${agentId === null ? sql`1 = 1` : sql`c.agent_id = ${agentId}`}`.pipe(
          redactions.all,
          Effect.map((fields) => inInterfaceOrder(fields.flat())),
          storing("CallStore.redactFieldsOf")
        ),
      findForUpdate: (permit, id) =>
        sql`SELECT c.id FROM ${tables.calls} c WHERE c.id = ${id} AND ${reached(permit)} ${dialect.forUpdate}`.pipe(
          Effect.zipRight(find(permit, id)),
          storing("CallStore.findForUpdate")
        ),
      lockRedactFields: (permit, id) =>
        sql`SELECT c.redact_fields FROM ${tables.calls} c WHERE c.id = ${id} AND ${reached(permit)} ${dialect.forUpdate}`.pipe(
          redactions.first,
          storing("CallStore.lockRedactFields")
        ),
      list: (permit, question, page, expand) =>
        Effect.map(listed(permit, question, page, expand), ({ rows, ...found }) => ({
          ...found,
          rows: rows.map((call) => listedCall(call, expand))
        })).pipe(growing("list", permit), storing("CallStore.list")),
      listRecords: (permit, question, page) =>
        listed(permit, question, page, everything).pipe(growing("export", permit), storing("CallStore.listRecords")),
      saveReview: (permit, call) => save(permit, call, REVIEWED).pipe(storing("CallStore.saveReview")),
      saveEvaluation: (permit, call) => save(permit, call, EVALUATED).pipe(storing("CallStore.saveEvaluation")),
      // Transcript, recording and evaluations go with the row they refer to.
      remove: (permit, id) =>
        sql`DELETE FROM ${tables.calls} WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("CallStore.remove")
        )
    })
  })
)
