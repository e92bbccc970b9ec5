// Mutants of permissions, scopes, lists and what the database keeps.
import { source, tests } from "./tests.js"

/** @type {import("./index.js").Mutants} */
export const accessMutants = [
  {
    operator: "permission",
    name: "an operation without its permission",
    file: source("access/Permit"),
    find: "!actor.permissions.has(rule.needs) ||",
    replace: "",
    test: tests.properties,
    killedBy: /nobody is let in without the permissions/
  },
  {
    operator: "permission",
    name: "a second permission that is not asked for",
    file: source("access/Permit"),
    find: "rule.alsoNeeds !== undefined && !actor.permissions.has(rule.alsoNeeds)",
    replace: "false",
    test: tests.properties,
    killedBy: /nobody is let in without the permissions/
  },
  {
    operator: "permission",
    name: "a credential of a kind that is not accepted",
    file: source("access/Permit"),
    find: 'actor.credential !== "host" && !accepted',
    replace: "false",
    test: tests.properties,
    killedBy: /a credential of a kind that is not listed is as good as none/
  },
  {
    operator: "permission",
    name: "a credential with more permissions than its issuer",
    file: source("access/Grant"),
    find: "(permission: Permission) => !issuer.permissions.has(permission)",
    replace: "(permission: Permission) => permission === undefined",
    test: tests.grants,
    killedBy: /to grant what the issuer may not do is a fault/
  },
  {
    operator: "scope",
    name: "a credential outside the scope of its issuer",
    file: source("access/Grant"),
    find: "isHeld(issuer, scope)\n        ? noFieldErrors\n        : fieldError(`bounds[${position}]`, ",
    replace: "isHeld(issuer, scope) || true\n        ? noFieldErrors\n        : fieldError(`bounds[${position}]`, ",
    test: tests.grants,
    killedBy: /each bound that a bound issuer does not have/
  },
  {
    operator: "boundary",
    name: "a key that is valid at the instant of its end",
    file: source("access/Grant"),
    find: "now < it.expiresAt.epochMillis",
    replace: "now <= it.expiresAt.epochMillis",
    test: tests.credentials,
    killedBy: /credentials on sqlite a credential lets in until the instant/
  },
  {
    operator: "missing part",
    name: "a revoked key that is valid",
    file: source("access/Grant"),
    find: "it.revokedAt === null && (it.expiresAt",
    replace: "(it.expiresAt",
    test: tests.grants,
    killedBy: /a credential that was revoked does not hold/
  },
  {
    operator: "boundary",
    name: "a key that ends as it is issued",
    file: source("access/Grant"),
    find: "expiresAt.epochMillis <= now.epochMillis",
    replace: "expiresAt.epochMillis < now.epochMillis",
    test: tests.grants,
    killedBy: /an end lies after now/
  },
  {
    operator: "scope",
    name: "a checkout with the key's scope instead of the session's",
    file: source("access/Credentials"),
    find: "bounds: session.bounds,",
    replace: "bounds: caller.bounds,",
    test: tests.credentials,
    killedBy: /credentials on sqlite a checkout takes a key and an agent's session/
  },
  {
    operator: "scope",
    name: "a checkout with the session of another organization",
    file: source("access/Credentials"),
    find: "session.credential === additional && session.organizationId === caller.organizationId",
    replace: "session.credential === additional",
    test: tests.credentials,
    killedBy: /credentials on sqlite a checkout takes a key and an agent's session/
  },
  {
    operator: "type",
    name: "a checkout with a token that is no agent session",
    file: source("access/Credentials"),
    find: "session.credential === additional && session.organizationId === caller.organizationId",
    replace: "session.organizationId === caller.organizationId",
    test: tests.credentials,
    killedBy: /credentials on sqlite a checkout takes a key and an agent's session/
  },
  {
    operator: "boundary",
    name: "a page of 201 rows",
    file: source("kernel/Pages"),
    find: "MAX_PAGE_SIZE = 200",
    replace: "MAX_PAGE_SIZE = 201",
    test: tests.rules,
    killedBy: /a page has 50 rows where no limit is given/
  },
  {
    operator: "boundary",
    name: "a page that is one row smaller than its bytes allow",
    file: source("kernel/Pages"),
    find: "rows > 0 && bytes > maxBytes",
    replace: "rows > 0 && bytes >= maxBytes",
    test: tests.rules,
    killedBy: /a page holds as many rows as fit into its bytes/
  },
  {
    operator: "order",
    name: "a previous page in the wrong order",
    file: source("kernel/Pages"),
    find: "rows.toReversed()",
    replace: "rows",
    test: tests.rules,
    killedBy: /following next and then previous leads back to the same page/
  },
  {
    operator: "missing part",
    name: "a page without a previous one",
    file: source("kernel/Pages"),
    find: '(cursor.at === "before" || (cursor.at === "after" && hasMore))',
    replace: '(cursor.at === "after" && hasMore)',
    test: tests.rules,
    killedBy: /following next and then previous leads back to the same page/
  },
  {
    operator: "boundary",
    name: "a previous page that repeats a row",
    file: source("storage/sql/Keyset"),
    find: "return sql`${key} > ${cursor.id} ORDER BY",
    replace: "return sql`${key} >= ${cursor.id} ORDER BY",
    test: tests.models,
    killedBy: /sqlite work and lists in the list of each tool next and then previous/
  },
  {
    operator: "missing part",
    name: "an export that ends with its first page",
    file: source("kernel/StreamPages"),
    find: "hasMore && last !== undefined",
    replace: "!hasMore && last !== undefined",
    test: tests.models,
    killedBy: /sqlite work and lists an export is the list|sqlite work and lists the export of a result/
  },
  {
    operator: "order",
    name: "the export of a result from its newest run",
    file: source("results/Results"),
    find: 'streamPages({ at: "after", id: 0 }',
    replace: 'streamPages({ at: "start" }',
    test: tests.models,
    killedBy: /sqlite work and lists the export of a result/
  },
  {
    operator: "missing part",
    name: "an export that ignores its filter",
    file: source("calls/Calls"),
    find: "const { criteria } = yield* parseCallQuery(query, yield* DateTime.now)",
    replace: "const { criteria } = yield* parseCallQuery({}, yield* DateTime.now)",
    test: tests.models,
    killedBy: /sqlite work and lists an export is the list/
  },
  {
    operator: "boundary",
    name: "a run that is claimed again a millisecond too late",
    file: source("storage/sql/RunQueueSql"),
    find: "deleted_ms IS NULL\n            AND lease_until_ms <= ${DateTime.toEpochMillis(now)} ORDER BY id",
    replace: "deleted_ms IS NULL\n            AND lease_until_ms < ${DateTime.toEpochMillis(now)} ORDER BY id",
    test: tests.models,
    killedBy: /sqlite a lease is not valid from the millisecond of its end/
  },
  {
    operator: "missing part",
    name: "a heartbeat that does not extend the lease",
    file: source("storage/sql/RunQueueSql"),
    find: "SET lease_until_ms = ${until}\n",
    replace: "SET lease_until_ms = lease_until_ms\n",
    test: tests.models,
    killedBy: /sqlite a lease is valid until a millisecond before its end/
  },
  {
    operator: "missing cascade",
    name: "a requeued run that still counts as a session",
    file: source("storage/sql/RunQueueSql"),
    find: 'yield* move(permit, capacityChange("running", "queued", runs.length))',
    replace: "",
    test: tests.models,
    killedBy: /an engine on sqlite matches the model of capacity/
  },
  {
    operator: "missing cascade",
    name: "a number that a run keeps after its end",
    file: source("storage/sql/RunQueueSql"),
    find: 'yield* releaseNumbers(permit, runs)\n      }).pipe(storing("ResultStore.end"))',
    replace: '}).pipe(storing("ResultStore.end"))',
    test: tests.models,
    killedBy: /an engine on sqlite matches the model of capacity/
  },
  {
    operator: "missing cascade",
    name: "averages that keep the scores of deleted runs",
    file: source("storage/sql/ResultDeletionSql"),
    find: 'yield* recountMetrics(sql`(SELECT result_id FROM ${tables.runs} WHERE ${isOfRuns("id")})`)',
    replace: "",
    test: tests.models,
    killedBy: /sqlite work and lists a result is evaluated by the runs that remain/
  },
  {
    operator: "missing cascade",
    name: "repeats that count deleted runs",
    file: source("storage/sql/ResultReadsSql"),
    find: "u.scenario_position = s.position AND u.deleted_ms IS NULL\n",
    replace: "u.scenario_position = s.position\n",
    test: tests.models,
    killedBy: /sqlite work and lists a result is evaluated by the runs that remain/
  }
]
