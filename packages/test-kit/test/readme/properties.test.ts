import { Engine, Filters, SigningKeyStore, type StoredSigningKey } from "@earshot/core"
import { AccessKit, DashboardKit, FilterKit, Fixtures, ModelKit, TestEngine } from "@earshot/test-kit"
import { startEngine } from "@earshot/test-kit/plain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, it } from "vitest"

// Properties take an implementation.
describe("our own merge of filters", () => {
  for (const { check, name } of FilterKit.mergeProperties(Filters.merge, FilterKit.matches)) it(name, check)
})

// A contract takes the layer of a port: here of signing keys in memory.
const keys = new Map<string, StoredSigningKey>()
const inMemory = Layer.succeed(SigningKeyStore, {
  insert: (key) => Effect.sync(() => void keys.set(key.kid, key)),
  list: Effect.sync(() => Array.from(keys.values()).reverse()),
  reseal: (key, sealed) =>
    Effect.sync(() => {
      if (keys.get(key.kid)?.sealed === key.sealed) keys.set(key.kid, { ...key, sealed })
    }),
  remove: (kids) => Effect.sync(() => kids.forEach((kid) => keys.delete(kid)))
})
AccessKit.signingKeyStoreContract("memory", inMemory)

// A port whose entities belong to others needs their stores too: the engine's, or yours.
const storage = Engine.stores.pipe(Layer.provideMerge(TestEngine.storage("sqlite")))
DashboardKit.dashboardStoreContract("our own database", storage)

// A model is compared with a driver: an in-process engine, or servers by their URLs.
it("keeps calls and dashboards as the model does", async () => {
  const engine = await startEngine()
  const { actor } = await engine.fixture()
  const driver = engine.driver(actor) // or ModelKit.httpDriver(["http://127.0.0.1:8080"], apiKey)
  const fixture = async () => ({ driver, ...(await ModelKit.createEmptyProject(driver)) })
  await ModelKit.checkCallModel(fixture, { runs: 2, maxCommands: 10 })

  // Seeds a whole organization.
  await Fixtures.load(driver, fc.sample(Fixtures.plan, { numRuns: 1, seed: 1 })[0] ?? { projects: [] })
  await engine.stop()
})
