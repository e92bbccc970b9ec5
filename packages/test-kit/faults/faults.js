// Faults that somebody might put into the engine. Each is one patch: a text of one file, found once, and what stands in
// its place. `law` is the part of the kit that is expected to tell, as its test is named.

/** @type {ReadonlyArray<{ fault: string, file: string, find: string, put: string, law: RegExp }>} */
export const faults = [
  {
    fault: "a limit that is off by one: 101 characters of call_id",
    file: "packages/core/src/calls/CallRecord.ts",
    find: "callId: 100,",
    put: "callId: 101,",
    property: /the call_id of a call has no more than 100 characters/
  },
  {
    fault: "or for and in the merge of filters",
    file: "packages/core/src/filters/MergeFilters.ts",
    find: 'flat(first) : { operator: "and", conditions: all }',
    put: 'flat(first) : { operator: "or", conditions: all }',
    property: /the merged filter matches if and only if both do/
  },
  {
    fault: "a page that begins with the row that the one before ended with",
    file: "packages/core/src/storage/sql/Keyset.ts",
    find: "return sql`${key} < ${cursor.id} ORDER BY",
    put: "return sql`${key} <= ${cursor.id} ORDER BY",
    property: /every row is met once, newest first/
  },
  {
    fault: "a missing rollback",
    file: "packages/core/src/storage/sql/UnitOfWorkSql.ts",
    find: "sql.withTransaction(steps).pipe(",
    put: "steps.pipe(",
    property: /leave nothing when one of them fails/
  },
  {
    fault: "calls of other organizations in lists and under their ids",
    file: "packages/core/src/storage/sql/CallStoreSql.ts",
    find: "sql`(c.organization_id = ${permit.organizationId} AND",
    put: "sql`(c.organization_id <> ${-permit.organizationId} AND",
    property: /what another organization has is missing/
  },
  {
    fault: "a percentile that is off by one rank, in formulas",
    file: "packages/core/src/metrics/Statistics.ts",
    find: "const position = p * (sorted.length - 1)",
    put: "const position = p * sorted.length",
    property: /of 1 to 20 the median is 10.5/
  },
  {
    fault: "a percentile that takes the rank and does not interpolate, in charts on SQLite",
    file: "packages/core/src/storage/sql/Dialect.ts",
    find: "percentile: (value, at) => sql`percentile_cont(${value}, ${at})`",
    put: "percentile: (value, at) => sql`percentile_disc(${value}, ${at})`",
    property: /an engine on sqlite charts and charges a bar shows the p/
  },
  {
    fault: "milliseconds of provider_a read as seconds",
    file: "packages/core/src/transcripts/ProviderA.ts",
    find: 'typeof row.time === "number" && row.time <= EPOCH_MILLISECONDS_FROM ? 1 : 1000',
    put: "1",
    property: /provider_a: every payload is decoded to its turns/
  },
  {
    fault: "a shareable link accepted where calls are ingested",
    file: "packages/core/src/access/Operation.ts",
    find: '"calls.ingest": { needs: "calls:write", accepts: keyOnly }',
    put: '"calls.ingest": { needs: "calls:write", accepts: everybody }',
    property: /calls.ingest accepts api_key/
  },
  {
    fault: "redaction of one field too many",
    file: "packages/redaction/src/SpansToRedact.ts",
    find: "seen }), fields).filter(",
    put: 'seen }), new Set([...fields, "email_address"])).filter(',
    property: /values of fields that were not asked for stay/
  },
  {
    fault: "a redaction charged again when the call turns out longer",
    file: "packages/core/src/calls/RedactionCharge.ts",
    find: "key: `redaction:call:${call.id}`",
    put: "key: `redaction:call:${call.id}:${call.durationSeconds}`",
    property: /charged once, by the first length/
  },
  {
    fault: "a price that grows with the number of fields",
    file: "packages/core/src/calls/RedactionPrice.ts",
    find: "const numerator = MICROS_PER_MINUTE *",
    put: "const numerator = BigInt(fields.length) * MICROS_PER_MINUTE *",
    property: /the price does not depend on how many fields/
  },
  {
    fault: "a counter decremented twice, in the cascade of a deletion",
    file: "packages/core/src/results/Deletion.ts",
    find: "activeSessions += held.activeSessions * runs",
    put: "activeSessions += 2 * held.activeSessions * runs",
    property: /the counters go down by what the deleted runs held/
  },
  {
    fault: "a counter decremented twice, where a deletion is written",
    file: "packages/core/src/storage/sql/ResultStoreSql.ts",
    find: "pendingDemand: -plan.decrements.pendingDemand",
    put: "pendingDemand: -2 * plan.decrements.pendingDemand",
    property: /holds what the model of capacity says/
  },
  {
    fault: "a slot that stays taken when its run is deleted by itself",
    file: "packages/core/src/storage/sql/ResultStoreSql.ts",
    find: "if (plan.freedSlots > 0) yield* sql`DELETE FROM capacity_slots WHERE run_id IN ${runs}`",
    put: "",
    property: /holds what the model of capacity says/
  },
  {
    fault: "a run counted as a success before it is scored",
    file: "packages/core/src/results/Evaluate.ts",
    find: 'if (success === true && status === "completed") successful += runs',
    put: "if (success === true) successful += runs",
    property: /the success rate is that of the runs of which it is known/
  },
  {
    fault: "a suite whose price forgets how often its scenarios run",
    file: "packages/core/src/suites/PlanSuite.ts",
    find: "estimatedCost: times(costOfOne, frequency)",
    put: "estimatedCost: costOfOne",
    property: /a scenario costs, so often as it runs/
  },
  {
    fault: "a bulk update that passes over what it cannot detach",
    file: "packages/core/src/evaluators/BulkUpdateRules.ts",
    find: 'allFoundFaults("metric_ids_to_remove", request.metricsToRemove, found.metrics, projectId),',
    put: "",
    property: /one fault anywhere, and nothing is planned/
  },
  {
    fault: "keys managed by a session that is bound to one project",
    file: "packages/core/src/access/Permit.ts",
    find: "rule.organizationWide === true && actor.bounds !== null",
    put: "rule.organizationWide === true && actor.bounds === null",
    property: /a caller that is bound to some things does nothing that concerns the whole/
  },
  {
    fault: "a token that lets in for another minute",
    file: "packages/core/src/access/Jwt.ts",
    find: "now < claims.exp * 1000",
    put: "now < claims.exp * 1000 + 60_000",
    property: /a credential lets in until the instant at which it ends/
  },
  {
    fault: "what a tool answered left as it is by redaction",
    file: "packages/redaction/src/RedactTranscript.ts",
    find: "return { ...tool, arguments: given, result }",
    put: "return { ...tool, arguments: given }",
    property: /no value that is unmistakable is left anywhere/
  },
  {
    fault: "a filter by status that forgets whether a person said it, in SQL",
    file: "packages/core/src/storage/sql/FilterSql.ts",
    find: 'AND 2 * ${this.column("is_reviewed")} + ${success} IN',
    put: "AND ${success} IN",
    property: /calls filtered by sqlite are those that match in memory/
  },
  {
    fault: "a repeated delivery that forgets the trace id",
    file: "packages/core/src/calls/RedeliveryRules.ts",
    find: "traceId: delivery.traceId ?? existing.traceId,",
    put: 'traceId: delivery.traceId ?? "",',
    property: /stated values replace stored ones, and omitted values stay/
  },
  {
    fault: "a metric charged again for every evaluation of a call",
    file: "packages/core/src/metrics/Evaluations.ts",
    find: "key: `${CHARGE_REASON}:call:${call}:${metric.id}`,",
    put: "key: `${CHARGE_REASON}:call:${call}:${metric.id}:${job}`,",
    property: /a metric is charged once a call/
  },
  {
    fault: "an evaluation charged that was skipped",
    file: "packages/core/src/metrics/Price.ts",
    find: 'status === "scored" || status === "could_not_judge"',
    put: 'status === "scored" || status === "could_not_judge" || status === "skipped"',
    property: /a metric is charged once a call/
  },
  {
    fault: "a bulk update that attaches nothing",
    file: "packages/core/src/storage/sql/EvaluatorStoreSql.ts",
    find: "WHERE 1 = 1\n",
    put: "WHERE 1 = 0\n",
    property: /an engine on sqlite keeps evaluators and folders as the model says/
  },
  {
    fault: "a channel that the agent does not support, taken for a suite",
    file: "packages/core/src/suites/PlanSuite.ts",
    find: "if (!supportedChannels.includes(request.channel)) {",
    put: "if (supportedChannels.length === 0) {",
    property: /a fault of a suite is told at its place, and nowhere else/
  },
  {
    fault: "rows that are changed without a lock, on PostgreSQL",
    file: "packages/core/src/storage/sql/Dialect.ts",
    find: 'forUpdate: sql.literal("FOR UPDATE"),',
    put: 'forUpdate: sql.literal(""),',
    property: /an engine on postgres (?:leaves results after deletions|answers calls) at once/
  },
  {
    fault: "agents of other organizations in lists",
    file: "packages/core/src/storage/sql/AgentStoreSql.ts",
    find: "WHERE organization_id = ${permit.organizationId} AND deleted_ms IS NULL\n              AND ${projectId === null",
    put: "WHERE deleted_ms IS NULL\n              AND ${projectId === null",
    property: /agents kept by sqlite do not exist for another organisation/
  },
  {
    fault: "weeks that begin on Sunday",
    file: "packages/core/src/analytics/Bucket.ts",
    find: "ORIGIN = -3 * DAY",
    put: "ORIGIN = -4 * DAY",
    property: /a bar shows what came of each week/
  }
]
