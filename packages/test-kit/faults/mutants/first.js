// Mutants of every subject, the first of the kit.

/** @type {import("./index.js").Mutants} */
export const firstMutants = [
  {
    operator: "boundary",
    name: "an off-by-one limit: 101 characters of call_id",
    file: "packages/core/src/calls/CallRecord.ts",
    find: "callId: 100,",
    replace: "callId: 101,",
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /the call_id of a call has no more than 100 characters/
  },
  {
    operator: "order",
    name: "or instead of and in merged filters",
    file: "packages/core/src/filters/MergeFilters.ts",
    find: 'flat(first) : { operator: "and", conditions: all }',
    replace: 'flat(first) : { operator: "or", conditions: all }',
    test: "packages/core/test/filters/MergeFilters.test.ts",
    killedBy: /the merged filter matches if and only if both do/
  },
  {
    operator: "boundary",
    name: "a page that repeats the last row of the previous page",
    file: "packages/core/src/storage/sql/Keyset.ts",
    find: "return sql`${key} < ${cursor.id} ORDER BY",
    replace: "return sql`${key} <= ${cursor.id} ORDER BY",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /every row is met once, newest first/
  },
  {
    operator: "missing part",
    name: "a missing rollback",
    file: "packages/core/src/storage/sql/UnitOfWorkSql.ts",
    find: "sql.withTransaction(steps).pipe(",
    replace: "steps.pipe(",
    test: "packages/test-kit/test/contracts/Stores.test.ts",
    killedBy: /a unit of work on sqlite rolls back when a step fails/
  },
  {
    operator: "scope",
    name: "calls of other organizations found by id and in lists",
    file: "packages/core/src/storage/sql/ScopeSql.ts",
    find: "sql`(c.organization_id = ${permit.organizationId}",
    replace: "sql`(c.organization_id <> ${-permit.organizationId}",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /another organization's call is not found/
  },
  {
    operator: "boundary",
    name: "a percentile that is off by one rank, in formulas",
    file: "packages/core/src/metrics/Statistics.ts",
    find: "const position = p * (sorted.length - 1)",
    replace: "const position = p * sorted.length",
    test: "packages/core/test/metrics/Words.test.ts",
    killedBy: /of 1 to 20 the median is 10.5/
  },
  {
    operator: "rounding",
    name: "a percentile without interpolation, in charts on SQLite",
    file: "packages/core/src/storage/sql/Dialect.ts",
    find: "percentile: (value, at) => sql`percentile_cont(${value}, ${at})`",
    replace: "percentile: (value, at) => sql`percentile_disc(${value}, ${at})`",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /an engine on sqlite charts and charges a bar shows the p/
  },
  {
    operator: "rounding",
    name: "milliseconds of provider_a decoded as seconds",
    file: "packages/core/src/transcripts/ProviderA.ts",
    find: 'typeof row.time === "number" && row.time <= EPOCH_MILLISECONDS_FROM ? 1 : 1000',
    replace: "1",
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /provider_a: every payload is decoded to its turns/
  },
  {
    operator: "permission",
    name: "a shareable link accepted by call ingestion",
    file: "packages/core/src/access/Operation.ts",
    find: '"calls.ingest": { needs: "calls:write", shows: "calls:read", accepts: keyOnly }',
    replace: '"calls.ingest": { needs: "calls:write", shows: "calls:read", accepts: everybody }',
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /calls.ingest accepts api_key/
  },
  {
    operator: "scope",
    name: "redaction of a field that was not requested",
    file: "packages/redaction/src/SpansToRedact.ts",
    find: "ofFields(found, fields).filter",
    replace: 'ofFields(found, new Set([...fields, "email_address"])).filter',
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /values of fields that were not asked for stay/
  },
  {
    operator: "missing part",
    name: "redaction charged again when the call turns out longer",
    file: "packages/core/src/calls/RedactionCharge.ts",
    find: "key: redactionChargeKey(call.id), seconds",
    replace: "key: `${redactionChargeKey(call.id)}:${seconds}`, seconds",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /charged once, by its first known duration/
  },
  {
    operator: "scope",
    name: "a redaction price that grows with the number of fields",
    file: "packages/core/src/calls/RedactionPrice.ts",
    find: "const numerator = MICROS_PER_MINUTE *",
    replace: "const numerator = BigInt(fields.length) * MICROS_PER_MINUTE *",
    test: "packages/core/test/calls/RedactionPrice.test.ts",
    killedBy: /the price does not depend on how many fields/
  },
  {
    operator: "rounding",
    name: "a counter decremented twice, in the plan of a deletion",
    file: "packages/core/src/results/Deletion.ts",
    find: "activeSessions += held.activeSessions * runs",
    replace: "activeSessions += 2 * held.activeSessions * runs",
    test: "packages/core/test/results/Lifecycle.test.ts",
    killedBy: /the counters decrease by exactly what the deleted runs held/
  },
  {
    operator: "rounding",
    name: "a counter decremented twice, in the SQL of a deletion",
    file: "packages/core/src/storage/sql/ResultDeletionSql.ts",
    find: "pendingDemand: -plan.decrements.pendingDemand",
    replace: "pendingDemand: -2 * plan.decrements.pendingDemand",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /matches the model of capacity/
  },
  {
    operator: "missing cascade",
    name: "a slot kept after the deletion of its run",
    file: "packages/core/src/storage/sql/ResultDeletionSql.ts",
    find: 'if (plan.freedSlots > 0) yield* sql`DELETE FROM ${tables.capacity_slots} WHERE ${isOfRuns("run_id")}`',
    replace: "",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /matches the model of capacity/
  },
  {
    operator: "order",
    name: "a run counted as a success before it is scored",
    file: "packages/core/src/results/Evaluate.ts",
    find: 'if (success === true && status === "completed") successful += runs',
    replace: "if (success === true) successful += runs",
    test: "packages/core/test/results/Lifecycle.test.ts",
    killedBy: /the success rate is that of runs with a known success/
  },
  {
    operator: "missing part",
    name: "a suite price that ignores frequencies",
    file: "packages/core/src/suites/PlanSuite.ts",
    find: "estimatedCost: multiply(costOfOne, frequency)",
    replace: "estimatedCost: costOfOne",
    test: "packages/core/test/suites/PlanSuite.test.ts",
    killedBy: /a scenario costs its frequency times/
  },
  {
    operator: "missing part",
    name: "a bulk update that ignores metrics it cannot detach",
    file: "packages/core/src/evaluators/BulkUpdateRules.ts",
    find: 'referenceListErrors("metric_ids_to_remove", request.metricsToRemove, found.metrics, projectId),',
    replace: "",
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /a request with one error is not planned/
  },
  {
    operator: "permission",
    name: "keys managed by a session bound to one project",
    file: "packages/core/src/access/Permit.ts",
    find: "rule.organizationWide === true && actor.bounds !== null",
    replace: "rule.organizationWide === true && actor.bounds === null",
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /a caller that is bound to some things does nothing that concerns the whole/
  },
  {
    operator: "boundary",
    name: "a token accepted for a minute after its expiry",
    file: "packages/core/src/access/Jwt.ts",
    find: "now < exp * 1000",
    replace: "now < exp * 1000 + 60_000",
    test: "packages/core/test/access/Credentials.test.ts",
    killedBy: /a credential lets in until the instant at which it ends/
  },
  {
    operator: "missing part",
    name: "tool results that are not redacted",
    file: "packages/redaction/src/RedactTranscript.ts",
    find: "return { ...tool, arguments: given, result }",
    replace: "return { ...tool, arguments: given }",
    test: "packages/test-kit/test/properties/Properties.test.ts",
    killedBy: /no value that is unmistakable is left anywhere/
  },
  {
    operator: "missing part",
    name: "a filter by status that ignores reviews, in SQL",
    file: "packages/core/src/storage/sql/FilterTranslation.ts",
    find: 'AND 2 * ${this.column("is_reviewed")} + ${success} IN',
    replace: "AND ${success} IN",
    test: "packages/test-kit/test/contracts/Stores.test.ts",
    killedBy: /calls filtered by sqlite with readers are those that match in memory/
  },
  {
    operator: "missing part",
    name: "a redelivery that drops the trace id",
    file: "packages/core/src/calls/RedeliveryRules.ts",
    find: "traceId: delivery.traceId ?? existing.traceId,",
    replace: 'traceId: delivery.traceId ?? "",',
    test: "packages/core/test/calls/RedeliveryRules.test.ts",
    killedBy: /stated values replace stored ones, and omitted values stay/
  },
  {
    operator: "missing part",
    name: "a metric charged for every evaluation of a call",
    file: "packages/core/src/metrics/EvaluationCharges.ts",
    find: "${metric.id}`,",
    replace: "${metric.id}:${Math.random()}`,",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /a metric is charged once a call/
  },
  {
    operator: "missing part",
    name: "a skipped evaluation that is charged",
    file: "packages/core/src/metrics/Price.ts",
    find: 'status === "scored" || status === "could_not_judge"',
    replace: 'status === "scored" || status === "could_not_judge" || status === "skipped"',
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /a metric is charged once a call/
  },
  {
    operator: "missing part",
    name: "a bulk update that attaches nothing",
    file: "packages/core/src/storage/sql/EvaluatorStoreSql.ts",
    find: "WHERE 1 = 1\n",
    replace: "WHERE 1 = 0\n",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /an engine on sqlite matches the model of evaluators and folders/
  },
  {
    operator: "scope",
    name: "a suite planned for a channel that the agent does not support",
    file: "packages/core/src/suites/PlanSuite.ts",
    find: "if (!supportedChannels.includes(request.channel)) {",
    replace: "if (supportedChannels.length === 0) {",
    test: "packages/core/test/suites/PlanSuite.test.ts",
    killedBy:
      /a suite is planned for exactly the channels that the agent supports|an error of a suite is reported under its path only/
  },
  {
    operator: "order",
    name: "rows updated without a lock, on PostgreSQL",
    file: "packages/core/src/storage/sql/Dialect.ts",
    find: 'forUpdate: sql.literal("FOR UPDATE"),',
    replace: 'forUpdate: sql.literal(""),',
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /an engine on postgres linearizes concurrent (?:deletions|requests on calls)/
  },
  {
    operator: "scope",
    name: "entities of other organizations found by id and in lists",
    file: "packages/core/src/storage/sql/TenantTable.ts",
    find: "? sql`t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL`",
    replace: "? sql`t.deleted_ms IS NULL`",
    test: "packages/test-kit/test/contracts/Stores.test.ts",
    killedBy: /agents kept by sqlite do not exist for another organization/
  },
  {
    operator: "time zone",
    name: "weeks that start on Sunday",
    file: "packages/core/src/analytics/Bucket.ts",
    find: "ORIGIN = -3 * DAY",
    replace: "ORIGIN = -4 * DAY",
    test: "packages/test-kit/test/models/Models.test.ts",
    killedBy: /a bar shows the calls of each week/
  }
]
