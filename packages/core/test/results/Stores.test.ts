import { Engine } from "@earshot/core"
import { ResultKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"

for (const database of TestEngine.databases) {
  ResultKit.resultStoreContract(database, Engine.stores.pipe(Layer.provide(TestEngine.storage(database))))
}
