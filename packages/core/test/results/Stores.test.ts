import { Engine } from "@earshot/core"
import { ResultKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"

for (const database of TestEngine.databases) {
  const stores = () => Engine.stores.pipe(Layer.provide(TestEngine.storage(database)))
  ResultKit.resultStoreContract(database, stores())
  ResultKit.runWorkStoreContract(database, stores())
}
