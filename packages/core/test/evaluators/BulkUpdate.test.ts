import { setTimeout as delay } from "node:timers/promises"
import { Agents, Evaluators, Folders, PhoneNumbers, Projects, TestProfiles, UnitOfWork, untrusted } from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { actions, seededProject, engine, errorsOf, unknown } from "./fixtures.js"

for (const database of TestEngine.databases) {
  layer(engine(database), { timeout: "2 minutes" })(`a bulk update on ${database}`, (it) => {
    const three = Effect.gen(function* () {
      const fixture = yield* seededProject
      const made = yield* Effect.all([fixture.make(), fixture.make({ metrics: [fixture.metrics[0]] }), fixture.make()])
      const evaluators = yield* Evaluators
      return {
        ...fixture,
        made,
        scenarios: made.map(({ id }) => id),
        evaluators,
        all: Effect.forEach(made, ({ id }) => fixture.as(evaluators.read(id))),
        bulk: (input: object, query: object = {}) =>
          fixture.as(
            evaluators.bulkUpdate({ project: fixture.project.id, scenarios: made.map(({ id }) => id), ...input }, query)
          )
      }
    })

    it.effect("updates every field of every evaluator in one request", () =>
      Effect.gen(function* () {
        const { agent, all, bulk, inner, made, metrics, number, personality, profile, scenarios, toolIds } =
          yield* three
        const [answer, ...more] = yield* bulk({
          agent: agent.id,
          metric_ids_to_add: [metrics[2], metrics[1]],
          metric_ids_to_remove: [metrics[0]],
          tool_ids_to_add: toolIds.slice(0, 2),
          tool_ids_to_remove: [toolIds[2]],
          personality: personality.id,
          test_profile: profile.id,
          append_instruction: " And be kind.",
          first_message: "Hi",
          phone_number: number.id,
          folder_path: inner.path,
          max_duration: 60,
          name: "ignored",
          id: 1
        })
        expect(more).toEqual([])
        const changed = yield* all
        expect(answer).toEqual(changed[0])
        expect(changed.map(({ id }) => id)).toEqual(scenarios)
        for (const [at, one] of changed.entries()) {
          expect(one).toMatchObject({
            name: made[at]?.name,
            instructions: "Ask for a table for two. And be kind.",
            metricIds: [metrics[1], metrics[2]],
            toolIds: toolIds.slice(0, 2),
            personalityId: personality.id,
            testProfileId: profile.id,
            firstMessage: "Hi",
            phoneNumber: number.number,
            phoneNumberId: number.id,
            folderPath: "smoke.nightly",
            maxDuration: 60
          })
        }
      })
    )

    it.effect("returns the first evaluator, or with many=true all of them in order", () =>
      Effect.gen(function* () {
        const { bulk, scenarios } = yield* three
        const turned = scenarios.toReversed()
        expect((yield* bulk({ scenarios: turned, max_duration: 5 })).map(({ id }) => id)).toEqual([turned[0]])
        for (const many of [true, "true"]) {
          const answered = yield* bulk({ scenarios: turned, max_duration: 6 }, { many })
          expect(answered.map(({ id, maxDuration }) => [id, maxDuration])).toEqual(turned.map((id) => [id, 6]))
        }
        expect(yield* errorsOf(bulk({}, { many: "perhaps" }))).toEqual({ many: ["Must be a valid boolean."] })
      })
    )

    it.effect("appends on every request, and search finds the appended text", () =>
      Effect.gen(function* () {
        const { as, bulk, evaluators, scenarios } = yield* three
        yield* bulk({ append_instruction: " ΌΣ" })
        const [first] = yield* bulk({ append_instruction: " ΌΣ" })
        expect(first?.instructions).toBe("Ask for a table for two. ΌΣ ΌΣ")
        const found = yield* as(evaluators.list({ search: "two. ός ός" }))
        expect(found.results.map(({ id }) => id)).toEqual(scenarios.toReversed())
        expect((yield* bulk({ append_instruction: "" }))[0]?.instructions).toBe(first?.instructions)
      })
    )

    it.effect("keeps the two phone number fields in sync, and moves to the root with a blank path", () =>
      Effect.gen(function* () {
        const { all, bulk, inner, number } = yield* three
        yield* bulk({ inbound_phone_number: number.id, folder_path: inner.path })
        expect(yield* all).toMatchObject(Array(3).fill({ phoneNumberId: number.id, phoneNumber: number.number }))
        yield* bulk({ phone_number: number.id, inbound_phone_number: number.id, folder_path: "" })
        expect(yield* all).toMatchObject(Array(3).fill({ phoneNumberId: number.id, folderId: null, folderPath: "" }))
      })
    )

    it.effect("succeeds when it adds what is attached and removes what is not", () =>
      Effect.gen(function* () {
        const { all, bulk, metrics } = yield* three
        const change = { metric_ids_to_add: [metrics[0]], metric_ids_to_remove: [metrics[3]] }
        yield* bulk(change)
        yield* bulk(change)
        expect(yield* all).toMatchObject(Array(3).fill({ metricIds: [metrics[0]] }))
      })
    )

    it.effect("that is invalid reports every error under its field and changes nothing", () =>
      Effect.gen(function* () {
        const { all, as, bulk, evaluators, made, make, metrics, number, scenarios, toolIds } = yield* three
        const theirs = yield* seededProject
        const strange = yield* theirs.make()
        const structured = yield* make({
          scenario_type: "conditional_actions",
          instructions: undefined,
          conditional_actions: actions
        })
        const second = yield* as((yield* PhoneNumbers).create({ project: made[0].projectId, number: "+15550199" }))
        const rejected = (input: object) => errorsOf(bulk(input))

        expect(yield* errorsOf(as(evaluators.bulkUpdate(untrusted({}))))).toEqual({
          scenarios: ["This field is required."],
          agent: ["This field is required if project is not provided."],
          project: ["This field is required if agent is not provided."]
        })
        for (const input of [null, [], "x", 7, undefined]) {
          expect(Object.keys((yield* errorsOf(as(evaluators.bulkUpdate(untrusted(input))))) as object)).toContain(
            "non_field_errors"
          )
        }
        expect(yield* rejected({ scenarios: [] })).toEqual({
          scenarios: ["Ensure this field has at least 1 elements."]
        })
        expect(yield* rejected({ scenarios: [scenarios[0], scenarios[0]] })).toEqual({
          scenarios: [`The id ${scenarios[0]} is given more than once.`]
        })
        expect(yield* rejected({ scenarios: ["x", 1.5, null, 2 ** 53] })).toEqual({
          "scenarios[0]": ["A valid integer is required."],
          "scenarios[1]": ["A valid integer is required."],
          "scenarios[2]": ["This field may not be null."],
          "scenarios[3]": ["A valid integer is required."]
        })
        // What is well formed is looked up although something beside it is not.
        expect(
          yield* rejected({
            scenarios: [scenarios[0], "x", strange.id, scenarios[0], structured.id],
            project: theirs.project.id,
            metric_ids_to_add: [888_888_888, null],
            metric_ids_to_remove: [888_888_888],
            tool_ids_to_add: [toolIds[0], toolIds[0], theirs.toolIds[0]],
            append_instruction: "x",
            folder_path: ".."
          })
        ).toEqual({
          scenarios: [`The id ${scenarios[0]} is given more than once.`, ...unknown(strange.id)],
          "scenarios[1]": ["A valid integer is required."],
          project: unknown(theirs.project.id),
          "metric_ids_to_add[1]": ["This field may not be null."],
          metric_ids_to_add: unknown(888_888_888),
          metric_ids_to_remove: ["The id 888888888 is also in metric_ids_to_add.", ...unknown(888_888_888)],
          tool_ids_to_add: [`The id ${toolIds[0]} is given more than once.`, ...unknown(theirs.toolIds[0] ?? 0)],
          append_instruction: [expect.stringContaining(`evaluators: ${structured.id}.`)],
          folder_path: ["A level of a folder path may not be blank."]
        })
        expect(
          yield* rejected({
            scenarios: [scenarios[0], strange.id, 999_999_999, structured.id],
            agent: theirs.agent.id,
            metric_ids_to_add: [metrics[0], theirs.metrics[0], 888_888_888],
            metric_ids_to_remove: [metrics[0]],
            tool_ids_to_add: [theirs.toolIds[0]],
            tool_ids_to_remove: [toolIds[0], 777_777_777],
            personality: theirs.personality.id,
            test_profile: theirs.profile.id,
            append_instruction: "x",
            first_message: null,
            phone_number: number.id,
            inbound_phone_number: second.id,
            folder_path: "smoke.weekly.deep",
            max_duration: -5,
            dynamic_variable_values: {}
          })
        ).toEqual({
          scenarios: unknown(strange.id, 999_999_999),
          agent: unknown(theirs.agent.id),
          metric_ids_to_add: unknown(theirs.metrics[0] ?? 0, 888_888_888),
          metric_ids_to_remove: [`The id ${metrics[0]} is also in metric_ids_to_add.`],
          tool_ids_to_add: unknown(theirs.toolIds[0] ?? 0),
          tool_ids_to_remove: unknown(777_777_777),
          personality: unknown(theirs.personality.id),
          test_profile: unknown(theirs.profile.id),
          append_instruction: [
            `Cannot append to the JSON instructions of conditional_actions evaluators: ${structured.id}.`
          ],
          first_message: ["This field may not be null."],
          inbound_phone_number: ["Must be the same as phone_number."],
          folder_path: ['Folder "smoke.weekly" does not exist.'],
          max_duration: ["Ensure this value is greater than or equal to 1."],
          dynamic_variable_values: [
            "This field was removed. Put values into test_profile.information.main_agent_variables."
          ]
        })
        expect(yield* rejected({ folder_path: ".." })).toEqual({
          folder_path: ["A level of a folder path may not be blank."]
        })
        expect(yield* rejected({ dynamic_variable_values: null, max_duration: 5 })).toMatchObject({
          dynamic_variable_values: [expect.any(String)]
        })
        expect(yield* rejected({ append_instruction: "x".repeat(200_000) })).toMatchObject({
          append_instruction: [expect.stringContaining("exceed 200000 characters")]
        })
        expect(yield* all).toEqual(made)
      })
    )

    it.effect("checks the permission for the agent or project given", () =>
      Effect.gen(function* () {
        const { actor, agent, all, as, evaluators, made, project, scenarios } = yield* three
        const other = yield* as((yield* Agents).create({ project: project.id, name: "Sibling" }))
        const elsewhere = yield* as((yield* Projects).create({ name: "Elsewhere" }))
        expect(
          yield* errorsOf(as(evaluators.bulkUpdate({ scenarios, project: elsewhere.id, max_duration: 5 })))
        ).toEqual({ scenarios: scenarios.map((id) => `The id ${id} is of another project.`) })
        expect(
          yield* errorsOf(as(evaluators.bulkUpdate({ scenarios, project: elsewhere.id, agent: agent.id })))
        ).toMatchObject({ agent: [`The id ${agent.id} is of another project.`] })
        // A host that is bound to one agent reaches that agent's evaluators alone, and gives them to no other.
        const bound = TestEngine.as({ ...actor, credential: "host", bounds: [{ type: "agent", id: other.id }] })
        expect(yield* errorsOf(bound(evaluators.bulkUpdate({ scenarios, agent: other.id })))).toEqual({
          scenarios: unknown(...scenarios)
        })
        expect(yield* errorsOf(bound(evaluators.bulkUpdate({ scenarios, agent: agent.id })))).toMatchObject({
          agent: unknown(agent.id)
        })
        const reader = TestEngine.as({ ...actor, permissions: new Set(["evaluators:read"]) })
        expect(yield* Effect.flip(reader(evaluators.bulkUpdate({ scenarios, project: project.id })))).toMatchObject({
          _tag: "Forbidden"
        })
        const session = TestEngine.as({ ...actor, credential: "oauth2" })
        expect(yield* Effect.flip(session(evaluators.bulkUpdate({ scenarios, project: project.id })))).toMatchObject({
          _tag: "Unauthenticated"
        })
        expect(yield* all).toEqual(made)
        yield* as(evaluators.bulkUpdate({ scenarios, agent: other.id }))
        expect(yield* all).toMatchObject(Array(3).fill({ agentId: other.id, agentName: "Sibling" }))
        yield* bound(evaluators.bulkUpdate({ scenarios, agent: other.id, max_duration: 7 }))
        expect(yield* all).toMatchObject(Array(3).fill({ maxDuration: 7 }))
      })
    )

    it.effect("whose last statement fails changes no evaluator", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { all, bulk, made, metrics, scenarios, toolIds } = yield* three
        const last = scenarios[2] ?? 0
        yield* database === "sqlite"
          ? sql.unsafe(`CREATE TRIGGER refusing BEFORE UPDATE ON evaluators WHEN new.id = ${last} AND new.max_duration = 13
              BEGIN SELECT RAISE(ABORT, 'refused'); END`)
          : sql.unsafe(
              `ALTER TABLE evaluators ADD CONSTRAINT refusing CHECK (id <> ${last} OR max_duration IS DISTINCT FROM 13)`
            )
        const change = {
          metric_ids_to_add: [metrics[1]],
          metric_ids_to_remove: [metrics[0]],
          tool_ids_to_add: toolIds,
          append_instruction: "x"
        }
        const error = yield* Effect.flip(bulk({ ...change, max_duration: 13 }))
        expect(error).toMatchObject({ _tag: "StorageFailed", operation: "EvaluatorStore.apply" })
        expect(yield* all).toEqual(made)
        yield* bulk({ ...change, max_duration: 14 })
        expect(yield* all).toMatchObject(Array(3).fill({ maxDuration: 14 }))
      })
    )

    it.effect("interrupted at any moment is applied completely or not at all", () =>
      Effect.gen(function* () {
        const { all, bulk, folder, metrics, toolIds } = yield* three
        let before = yield* all
        const seen = new Set<boolean>()
        for (let moment = 0; moment < 40; moment++) {
          const fiber = yield* Effect.fork(
            bulk({
              metric_ids_to_add: moment % 2 === 0 ? metrics : [],
              metric_ids_to_remove: moment % 2 === 0 ? [] : metrics,
              tool_ids_to_add: moment % 2 === 0 ? toolIds : [],
              tool_ids_to_remove: moment % 2 === 0 ? [] : toolIds,
              append_instruction: "x",
              folder_path: moment % 2 === 0 ? folder.path : ""
            }).pipe(Effect.withMaxOpsBeforeYield(60))
          )
          // As many turns of the loop later each time, so that it is met at every step.
          yield* Effect.yieldNow().pipe(
            Effect.repeatN(moment),
            Effect.zipRight(moment < 20 ? Effect.void : Effect.promise(() => delay(moment % 8)))
          )
          yield* Fiber.interrupt(fiber)
          const after = yield* all
          const coverage = after[0].instructions !== before[0].instructions
          seen.add(coverage)
          for (const [at, one] of after.entries()) {
            expect(one.instructions).toBe(`${before[at]?.instructions}${coverage ? "x" : ""}`)
            if (coverage) {
              expect(one.metricIds).toEqual(moment % 2 === 0 ? metrics : [])
              expect(one.toolIds).toEqual(moment % 2 === 0 ? toolIds : [])
              expect(one.folderPath).toBe(moment % 2 === 0 ? folder.path : "")
            } else expect(one).toEqual(before[at])
          }
          before = after
        }
        expect(seen.has(false)).toBe(true)
      })
    )

    it.effect("moves ten thousand evaluators into one folder, which is still listed by pages", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { as, bulk, evaluators, inner, made } = yield* three
        const copies = yield* sql<{ readonly id: number }>`
          INSERT INTO evaluators (organization_id, project_id, agent_id, name, scenario_type, instructions, search_text,
            expected_outcome_prompt, first_message, created_ms, updated_ms)
          SELECT e.organization_id, e.project_id, e.agent_id, 'a''; drop table', e.scenario_type, e.instructions,
            e.search_text, '', '', 0, 0 FROM evaluators e, ${numbers(sql, 9_997)} WHERE e.id = ${made[0].id} RETURNING id`
        const scenarios = [...made.map(({ id }) => id), ...copies.map(({ id }) => id)]
        const moved = yield* bulk({ scenarios, folder_path: inner.path }, { many: true })
        expect(moved.map(({ folderPath, id }) => [id, folderPath])).toEqual(scenarios.map((id) => [id, inner.path]))
        const page = yield* as(evaluators.list({ folder_path: inner.path, limit: 200 }))
        expect([page.results.length, page.next]).toEqual([200, expect.any(String)])
        expect(page.results[0]?.name).toBe("a'; drop table")
        yield* as((yield* Folders).delete(inner.id))
        expect((yield* as(evaluators.list({ folder_path: "smoke", limit: 1 }))).results).toHaveLength(1)
      })
    )

    if (database === "postgres") {
      it.effect("into a folder that is being deleted ends in that folder's parent", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const work = yield* UnitOfWork
          const { all, as, bulk, folder, inner } = yield* three
          const isMoved = yield* Deferred.make<true>()
          const isWaitedFor = yield* Deferred.make<true>()
          const moving = yield* Effect.fork(
            work.atomically(
              bulk({ folder_path: inner.path }).pipe(
                Effect.zipLeft(Deferred.succeed(isMoved, true)),
                Effect.zipLeft(Deferred.await(isWaitedFor))
              )
            )
          )
          yield* Deferred.await(isMoved)
          const deleting = yield* Effect.fork(as((yield* Folders).delete(inner.id)))
          // Asked outside of the transaction, since within one PostgreSQL keeps the list of sessions that it gave first.
          yield* Effect.promise(() => delay(2)).pipe(
            Effect.zipRight(sql`SELECT 1 FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event_type = 'Lock'`),
            Effect.repeat({ until: (waiting) => waiting.length > 0 })
          )
          yield* Deferred.succeed(isWaitedFor, true)
          yield* Fiber.join(moving)
          yield* Fiber.join(deleting)
          expect(yield* all).toMatchObject(Array(3).fill({ folderId: folder.id, folderPath: folder.path }))
        })
      )
    }

    it.effect("rejects a request whose response would be too large, and changes nothing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { all, as, bulk, made, project } = yield* three
        const profiles = yield* TestProfiles
        const large = yield* as(profiles.create({ project: project.id, name: "L", information: { a: { b: "" } } }))
        yield* sql`UPDATE test_profiles SET information = ${JSON.stringify({ a: { b: "x".repeat(11_000_000) } })}
          WHERE id = ${large.id}`
        const change = { test_profile: large.id, max_duration: 9 }
        expect(yield* errorsOf(bulk(change, { many: true }))).toEqual({
          many: [expect.stringContaining("exceed 32000000 characters")]
        })
        expect(yield* all).toEqual(made)
        expect((yield* bulk({ ...change, scenarios: made.slice(1).map(({ id }) => id) }, { many: true })).length).toBe(
          2
        )
        expect((yield* bulk(change)).length).toBe(1)
      })
    )

    it.effect("keeps the legacy values of a row, and removes no test profile", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { all, as, bulk, made, profile } = yield* three
        yield* sql`UPDATE evaluators SET dynamic_variable_values = '{"a":1}' WHERE id = ${made[0].id}`
        yield* bulk({ test_profile: profile.id })
        expect((yield* all).map(({ dynamicVariableValues }) => dynamicVariableValues)).toEqual([{ a: 1 }, null, null])
        yield* as((yield* TestProfiles).delete(profile.id))
        expect(yield* errorsOf(bulk({ test_profile: profile.id }))).toEqual({ test_profile: unknown(profile.id) })
      })
    )
  })
}

const numbers = (sql: SqlClient, count: number) =>
  sql`(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < CAST(${count} AS INTEGER))
    SELECT value FROM n) AS n`
