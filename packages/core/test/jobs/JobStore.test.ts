import { Engine } from "@earshot/core"
import { JobKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"

for (const database of TestEngine.databases) {
  JobKit.jobStoreContract(database, Engine.stores.pipe(Layer.provide(TestEngine.storage(database))))
}
