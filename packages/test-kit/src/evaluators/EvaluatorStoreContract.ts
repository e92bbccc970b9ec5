import {
  type AgentStore,
  type BulkPlan,
  EvaluatorId,
  type EvaluatorSpec,
  EvaluatorStore,
  FolderStore,
  LanguageCode,
  type OrganizationStore,
  type ProjectStore,
  ScenarioType,
  specOf,
  ToolStore
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import * as CatalogArbitraries from "../catalog/CatalogArbitraries.js"
import { organizationWithAgent } from "../catalog/NewAgent.js"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

/** An organization with an agent, two folders and three tools. */
const newOrganization = Effect.gen(function* () {
  const { agent, id, project, toCreate: toCatalog } = yield* organizationWithAgent
  const folders = yield* FolderStore
  const tools = yield* ToolStore
  const folder = yield* folders.insert(toCatalog, { projectId: project.id, path: "a" }, at(0))
  const inner = yield* folders.insert(toCatalog, { projectId: project.id, path: "a.b" }, at(0))
  const made = yield* Effect.forEach(["x", "y", "z"], (name) =>
    tools.insert(toCatalog, { projectId: project.id, name, description: "", parameters: {} }, at(0))
  )
  const plain: EvaluatorSpec = {
    projectId: project.id,
    agentId: agent.id,
    name: "Plain",
    scenarioType: "instruction",
    instructions: "Hi",
    personalityId: null,
    testProfileId: null,
    phoneNumberId: null,
    folderId: null,
    expectedOutcomePrompt: "",
    scenarioLanguage: null,
    firstMessage: "",
    maxDuration: null,
    tags: [],
    metricIds: [],
    toolIds: []
  }
  return {
    agent,
    folder,
    inner,
    plain,
    project,
    toolIds: made.map((tool) => tool.id),
    toCatalog,
    toDeleteFolder: permit(id, "folders.delete"),
    toWrite: permit(id, "evaluators.create"),
    toRead: permit(id, "evaluators.list"),
    toDelete: permit(id, "evaluators.delete")
  }
})

const texts = fc.record({
  name: CatalogArbitraries.name(80),
  scenarioType: fc.constantFrom(...ScenarioType.literals),
  instructions: CatalogArbitraries.text(300),
  expectedOutcomePrompt: CatalogArbitraries.text(60),
  firstMessage: CatalogArbitraries.text(60),
  scenarioLanguage: fc.option(fc.constantFrom(...LanguageCode.literals)),
  maxDuration: fc.option(fc.integer({ min: 1, max: 86_400 })),
  tags: fc.uniqueArray(CatalogArbitraries.name(20), { maxLength: 5 })
})

const nothing: Omit<BulkPlan, "evaluators"> = {
  attachMetrics: [],
  detachMetrics: [],
  attachTools: [],
  detachTools: [],
  agentId: undefined,
  personalityId: undefined,
  testProfileId: undefined,
  phoneNumberId: undefined,
  folderId: undefined,
  firstMessage: undefined,
  maxDuration: undefined,
  append: ""
}

type Stores = EvaluatorStore | FolderStore | ToolStore | AgentStore | ProjectStore | OrganizationStore

/** The contract of `EvaluatorStore` and `FolderStore`, on an empty or a used database. */
export const evaluatorStoreContract = <E>(subject: string, stores: Layer.Layer<Stores, E>): void => {
  layer(stores)(`evaluators kept by ${subject}`, (it) => {
    it.effect.prop(
      "returns evaluators as they were inserted and as they were last saved",
      [texts, texts],
      ([draft, patch]) =>
        Effect.gen(function* () {
          const store = yield* EvaluatorStore
          const { folder, plain, toolIds, toRead, toWrite } = yield* newOrganization
          const other = yield* store.insert(toWrite, plain, at(1))
          const spec = { ...plain, ...draft, folderId: folder.id, toolIds: toolIds.slice(1) }
          const made = yield* store.insert(toWrite, spec, at(1))
          expect(specOf(made)).toEqual(spec)
          expect(yield* store.find(toRead, made.id)).toEqual(Option.some(made))
          const changed = { ...spec, ...patch, folderId: null, toolIds: toolIds.slice(0, 1) }
          yield* store.save(toWrite, made.id, changed, at(2))
          const found = Option.getOrThrow(yield* store.findForUpdate(toRead, made.id))
          expect([specOf(found), found.createdAt, found.updatedAt]).toEqual([changed, at(1), at(2)])
          expect(yield* store.find(toRead, other.id)).toEqual(Option.some(other))
        }),
      { fastCheck: { numRuns: 20 } }
    )

    it.effect("applies a bulk plan to its evaluators and to no others", () =>
      Effect.gen(function* () {
        const store = yield* EvaluatorStore
        const { inner, plain, toolIds, toRead, toWrite } = yield* newOrganization
        const insert = (spec: Partial<EvaluatorSpec>) => store.insert(toWrite, { ...plain, ...spec }, at(1))
        const one = yield* insert({ toolIds: toolIds.slice(0, 1), instructions: "Ä" })
        const two = yield* insert({ toolIds })
        const left = yield* insert({})
        const evaluators = [two.id, one.id]
        expect(yield* store.findTargetsForUpdate(toRead, [...evaluators, EvaluatorId.make(999_999_999)])).toEqual(
          [one, two].map(({ id, instructions, projectId, scenarioType }) => ({
            id,
            projectId,
            scenarioType,
            instructionsLength: instructions.length
          }))
        )
        yield* store.apply(
          toWrite,
          {
            ...nothing,
            evaluators,
            attachTools: toolIds.slice(1),
            detachTools: toolIds.slice(0, 1),
            folderId: inner.id,
            append: "'; --"
          },
          at(5)
        )
        const changed = yield* store.findAll(toRead, evaluators)
        expect(changed.map(({ id }) => id)).toEqual(evaluators)
        for (const [position, before] of [two, one].entries()) {
          expect(changed[position]).toMatchObject({
            ...specOf(before),
            toolIds: toolIds.slice(1),
            folderId: inner.id,
            folderPath: "a.b",
            instructions: `${before.instructions}'; --`,
            updatedAt: at(5)
          })
        }
        expect(yield* store.find(toRead, left.id)).toEqual(Option.some(left))
      })
    )

    it.effect("hides evaluators from other organizations", () =>
      Effect.gen(function* () {
        const store = yield* EvaluatorStore
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const made = yield* store.insert(mine.toWrite, mine.plain, at(1))
        expect(yield* store.find(theirs.toRead, made.id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(theirs.toRead, made.id)).toEqual(Option.none())
        expect(yield* store.findAll(theirs.toRead, [made.id])).toEqual([])
        expect(yield* store.findTargetsForUpdate(theirs.toRead, [made.id])).toEqual([])
        yield* store.apply(theirs.toWrite, { ...nothing, evaluators: [made.id], append: "!" }, at(2))
        yield* store.remove(theirs.toDelete, made.id, at(2))
        expect(yield* store.find(mine.toRead, made.id)).toEqual(Option.some(made))
        yield* store.remove(mine.toDelete, made.id, at(3))
        expect(yield* store.find(mine.toRead, made.id)).toEqual(Option.none())
        expect(yield* store.findTargetsForUpdate(mine.toRead, [made.id])).toEqual([])
      })
    )

    it.effect("returns no references to deleted entities", () =>
      Effect.gen(function* () {
        const store = yield* EvaluatorStore
        const { plain, toDelete, toDeleteFolder, toRead, toWrite, toolIds } = yield* newOrganization
        const kept = toolIds.slice(1)
        yield* Effect.forEach(toolIds.slice(0, 1), (gone) =>
          Effect.flatMap(ToolStore, (tools) => tools.remove(toDeleteFolder, gone, at(1)))
        )
        const made = yield* store.insert(toWrite, { ...plain, toolIds }, at(2))
        expect(made.toolIds).toEqual(kept)
        expect(Option.map(yield* store.find(toRead, made.id), (found) => found.toolIds)).toEqual(Option.some(kept))
        yield* store.remove(toDelete, made.id, at(3))
      })
    )

    it.effect("lists each evaluator once, newest first, by folder and page", () =>
      Effect.gen(function* () {
        const store = yield* EvaluatorStore
        const folders = yield* FolderStore
        const { folder, inner, plain, project, toDeleteFolder, toRead, toWrite } = yield* newOrganization
        const made = yield* Effect.forEach([folder.id, inner.id, null, inner.id, inner.id], (folderId) =>
          store.insert(toWrite, { ...plain, folderId }, at(1))
        )
        const listed = (folderPath: string | null) =>
          Effect.map(
            everyPage(
              (page) =>
                store.list(toRead, { projectId: project.id, agentId: null, folderPath, tag: null, text: null }, page),
              { limit: 2 }
            ),
            (pages) => pages.flatMap(({ results }) => results.map((one) => made.findIndex(({ id }) => id === one.id)))
          )
        expect(yield* listed(null)).toEqual([4, 3, 2, 1, 0])
        expect(yield* listed("a.b")).toEqual([4, 3, 1])
        expect(yield* listed("")).toEqual([2])
        yield* folders.remove(toDeleteFolder, inner)
        expect(yield* listed("a")).toEqual([4, 3, 1, 0])
        yield* folders.remove(toDeleteFolder, folder)
        expect(yield* listed("")).toEqual([4, 3, 2, 1, 0])
      })
    )
  })
}
