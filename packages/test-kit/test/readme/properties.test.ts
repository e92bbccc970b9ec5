import { Engine, Filters, type SigningKey, SigningKeyStore } from "@earshot/core"
import { AccessKit, DashboardKit, FilterKit, ModelKit, TestEngine, Fixtures } from "@earshot/test-kit"
import { startEngine } from "@earshot/test-kit/plain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, it } from "vitest"

// A law takes an implementation.
describe("our own merge of filters", () => {
  for (const { check, name } of FilterKit.mergeProperties(Filters.merge, FilterKit.matches)) it(name, check)
})

// A contract takes the layer of a port: here of signing keys that are kept in memory.
const kept = new Map<string, SigningKey>()
const inMemory = Layer.succeed(SigningKeyStore, {
  insert: (key) => Effect.sync(() => void kept.set(key.kid, key)),
  list: Effect.sync(() => Array.from(kept.values()).reverse()),
  remove: (kids) => Effect.sync(() => kids.forEach((kid) => kept.delete(kid)))
})
AccessKit.signingKeyStoreContract("memory", inMemory)

// Where a port's things belong to others, their stores stand beside it: the engine's own, or yours.
const storage = Engine.stores.pipe(Layer.provideMerge(TestEngine.storage("sqlite")))
DashboardKit.dashboardStoreContract("our own database", storage)

// A model walks through a door: an engine in process, or servers by their URLs.
it("keeps calls as the model says", async () => {
  const engine = await startEngine()
  const { actor } = await engine.fixture()
  const driver = engine.driver(actor) // or ModelKit.httpDoor(["http://127.0.0.1:8080"], apiKey)
  const fixture = async () => ({ driver, ...(await ModelKit.createEmptyProject(driver)) })
  await ModelKit.checkCallModel(fixture, { runs: 2, maxCommands: 10 })

  // A whole organisation, in one line.
  await Fixtures.load(driver, fc.sample(Fixtures.plan, { numRuns: 1, seed: 1 })[0] ?? { projects: [] })
  await engine.stop()
})
