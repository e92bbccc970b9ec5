import {
  AgentId,
  type AgentStore,
  type IntegrationId,
  MetricId,
  type OrganizationStore,
  Platforms,
  type ProjectStore,
  UnitOfWork
} from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { text } from "../catalog/CatalogArbitraries.js"
import { organizationWithAgent } from "../catalog/NewAgent.js"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

/** An organization with an agent. */
const newOrganization = Effect.gen(function* () {
  const { agent, id, project } = yield* organizationWithAgent
  const store = yield* Platforms.IntegrationStore
  const manage = permit(id, "integrations.update")
  const draft = (stated: Partial<Platforms.NewIntegration> = {}): Platforms.NewIntegration => ({
    platform: "provider_b",
    name: "Integration",
    publicId: randomUUID(),
    projectId: project.id,
    agentId: agent.id,
    sealedSecret: "sealed",
    redactFields: [],
    metricIds: [],
    ...stated
  })
  const insert = (stated: Partial<Platforms.NewIntegration> = {}) => store.insert(manage, draft(stated), at(1))
  const find = (integration: IntegrationId) => Effect.map(store.find(manage, integration), Option.getOrThrow)
  const listed = Effect.map(
    everyPage((page) => store.list(manage, page), { limit: 2 }),
    (pages) => pages.flatMap(({ results }) => results)
  )
  return { id, agentId: agent.id, projectId: project.id, store, manage, draft, insert, find, listed }
})

const fields = fc.subarray([...Redaction.sensitiveFields])
const metrics = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 4 })

/** What a test states of an integration when it is inserted, and when it is saved. */
const stated = fc.record({
  platform: fc.constantFrom(...Platforms.platforms),
  name: text(255),
  sealedSecret: text(200),
  redactFields: fields,
  metricIds: metrics.map((all) => all.map((id) => MetricId.make(id)))
})

/** Registers the contract tests of `IntegrationStore`; the database may be empty or in use. */
export const integrationStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<Platforms.IntegrationStore | AgentStore | ProjectStore | OrganizationStore | UnitOfWork, E>
): void => {
  layer(stores)(`integrations kept by ${subject}`, (it) => {
    it.effect.prop(
      "are found as inserted and as last saved, until they are removed",
      [stated, stated, fc.boolean()],
      ([first, second, isOfProject]) =>
        Effect.gen(function* () {
          const { agentId, draft, find, id: organizationId, manage, projectId, store } = yield* newOrganization
          const wanted = draft({ ...first, agentId: isOfProject ? null : agentId })
          const made = yield* store.insert(manage, wanted, at(1))
          const { sealedSecret: _, ...shown } = wanted
          const expected = new Platforms.Integration({
            ...shown,
            id: made.id,
            organizationId,
            projectId,
            previousSecretUntil: null,
            createdBy: null,
            createdAt: at(1),
            updatedAt: at(1)
          })
          expect(made).toEqual(expected)
          const stored = { integration: expected, sealedSecret: wanted.sealedSecret, sealedPrevious: null }
          expect(yield* find(made.id)).toEqual(stored)
          const { name, redactFields, metricIds, sealedSecret } = second
          const changed: Platforms.StoredIntegration = {
            integration: new Platforms.Integration({
              ...made,
              name,
              redactFields,
              metricIds,
              previousSecretUntil: at(9),
              updatedAt: at(2)
            }),
            sealedSecret,
            sealedPrevious: wanted.sealedSecret
          }
          yield* store.save(manage, changed)
          expect(yield* find(made.id)).toEqual(changed)
          expect(yield* store.findForUpdate(manage, made.id)).toEqual(Option.some(changed))
          expect(yield* store.findByPublicIds([wanted.publicId])).toEqual([changed])
          yield* store.remove(manage, made.id)
          yield* store.remove(manage, made.id)
          expect(yield* store.find(manage, made.id)).toEqual(Option.none())
          expect(yield* store.findByPublicIds([wanted.publicId])).toEqual([])
        }),
      { fastCheck: { numRuns: 15 } }
    )

    it.effect("are listed newest first in pages, whatever is inserted between them", () =>
      Effect.gen(function* () {
        const { insert, manage, store } = yield* newOrganization
        const ids = (yield* Effect.forEach([1, 2, 3, 4, 5], () => insert())).map(({ id }) => id).toReversed()
        const pages = yield* everyPage((page) => store.list(manage, page), {
          limit: 2,
          between: Effect.suspend(() => insert())
        })
        expect(pages.map(({ results }) => results.map(({ id }) => id))).toEqual([
          ids.slice(0, 2),
          ids.slice(2, 4),
          ids.slice(4)
        ])
      })
    )

    it.effect("never share a public id, not even those of two organizations", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { publicId } = yield* mine.insert()
        for (const { insert } of [mine, theirs]) {
          expect(Exit.isFailure(yield* Effect.exit(insert({ publicId })))).toBe(true)
        }
        const other = yield* theirs.insert()
        const wrong = ["", "%", publicId.toUpperCase(), `${publicId} `, publicId.slice(1)]
        expect(yield* mine.store.findByPublicIds(wrong)).toEqual([])
        expect(yield* mine.store.findByPublicIds([])).toEqual([])
        const found = yield* mine.store.findByPublicIds([...wrong, publicId, other.publicId, publicId])
        expect(found.map(({ integration }) => [integration.publicId, integration.organizationId])).toEqual(
          expect.arrayContaining([
            [publicId, mine.id],
            [other.publicId, theirs.id]
          ])
        )
        expect(found).toHaveLength(2)
      })
    )

    it.effect("do not exist for another organization, except by their public id", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const made = yield* mine.insert({ redactFields: ["phone_number"] })
        const stored = yield* mine.find(made.id)
        expect(yield* theirs.store.find(theirs.manage, made.id)).toEqual(Option.none())
        expect(yield* theirs.store.findForUpdate(theirs.manage, made.id)).toEqual(Option.none())
        expect(yield* theirs.listed).toEqual([])
        expect(yield* theirs.store.redacting(permit(theirs.id, "calls.ingest"), made.platform)).toEqual([])
        yield* theirs.store.save(theirs.manage, { ...stored, sealedSecret: "theirs" })
        yield* theirs.store.remove(theirs.manage, made.id)
        expect(yield* mine.find(made.id)).toEqual(stored)
        expect(yield* theirs.store.findByPublicIds([made.publicId])).toEqual([stored])
      })
    )

    it.effect("with fields to redact are found by their platform", () =>
      Effect.gen(function* () {
        const { id, insert, store } = yield* newOrganization
        const redacting = yield* insert({ redactFields: ["ssn"] })
        const another = yield* insert({ redactFields: ["ssn", "phone_number"], agentId: null })
        yield* insert({ redactFields: ["ssn"], platform: "provider_a" })
        yield* insert()
        const found = yield* store.redacting(permit(id, "calls.ingest"), "provider_b")
        expect(found.toSorted((one, other) => one.id - other.id)).toEqual([redacting, another])
        expect(yield* store.redacting(permit(id, "calls.ingest"), "provider_f")).toEqual([])
      })
    )

    it.effect("keep the signatures that they accepted until these expire, each for itself", () =>
      Effect.gen(function* () {
        const { insert, manage, store } = yield* newOrganization
        const [{ id: one }, { id: other }] = [yield* insert(), yield* insert()]
        const known = Effect.forEach(["early", "late"], (key) => store.wasReceived(one, key))
        expect(yield* known).toEqual([false, false])
        yield* Effect.forEach(["early", "late", "late"], (key) => store.recordReceived(one, key, 1_000.5), {
          concurrency: "unbounded"
        })
        // Again is no error, and extends nothing.
        yield* store.recordReceived(one, "early", 9_000)
        yield* store.recordReceived(other, "late", 2_000)
        expect(yield* known).toEqual([true, true])
        expect(yield* store.wasReceived(other, "early")).toBe(false)
        yield* store.purgeReceived(at(1_000))
        expect(yield* known).toEqual([true, true])
        yield* store.purgeReceived(at(1_002))
        expect(yield* known).toEqual([false, false])
        expect(yield* store.wasReceived(other, "late")).toBe(true)
        yield* store.remove(manage, other)
        expect(yield* store.wasReceived(other, "late")).toBe(false)
      })
    )

    it.effect("are read one by one to be sealed with another key, unless they have changed since", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { id } = yield* mine.insert()
        const { id: last } = yield* theirs.insert()
        const sealed = yield* mine.store.sealed(id - 1, 2)
        expect(sealed.map(({ integration }) => integration.id)).toEqual([id, last])
        expect(yield* mine.store.sealed(id, 1)).toEqual([yield* theirs.find(last)])
        expect(yield* mine.store.sealed(last, 5)).toEqual([])
        const before = yield* mine.find(id)
        yield* mine.store.reseal(before, "other key", "previous")
        const after = { ...before, sealedSecret: "other key", sealedPrevious: "previous" }
        expect(yield* mine.find(id)).toEqual(after)
        yield* mine.store.reseal(before, "too late", null)
        expect(yield* mine.find(id)).toEqual(after)
        expect((yield* theirs.find(last)).sealedSecret).toBe("sealed")
      })
    )

    it.effect("lose no change of concurrent transactions that lock them", () =>
      Effect.gen(function* () {
        const { find, insert, manage, store } = yield* newOrganization
        const work = yield* UnitOfWork
        const { id } = yield* insert({ metricIds: [] })
        const adding = (metric: number) =>
          work.atomically(
            Effect.gen(function* () {
              const stored = Option.getOrThrow(yield* store.findForUpdate(manage, id))
              const metricIds = [...stored.integration.metricIds, MetricId.make(metric)]
              const integration = new Platforms.Integration({ ...stored.integration, metricIds })
              yield* store.save(manage, { ...stored, integration })
            })
          )
        yield* Effect.forEach([1, 2, 3, 4, 5], adding, { concurrency: "unbounded" })
        expect((yield* find(id)).integration.metricIds.toSorted()).toEqual([1, 2, 3, 4, 5])
      })
    )

    it.effect("are of an agent that exists", () =>
      Effect.gen(function* () {
        const { insert, listed } = yield* newOrganization
        expect(Exit.isFailure(yield* Effect.exit(insert({ agentId: AgentId.make(2 ** 31 - 1) })))).toBe(true)
        expect(yield* listed).toEqual([])
      })
    )
  })
}
