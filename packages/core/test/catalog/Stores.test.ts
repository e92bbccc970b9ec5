import { Engine } from "@earshot/core"
import { CatalogKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"

for (const database of TestEngine.databases) {
  const stores = Engine.stores.pipe(Layer.provide(TestEngine.storage(database)))
  CatalogKit.projectStoreContract(database, stores)
  CatalogKit.agentStoreContract(database, stores)
  CatalogKit.catalogStoreContract(database, stores)
}
