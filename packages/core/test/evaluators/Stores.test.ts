import { Engine } from "@earshot/core"
import { EvaluatorKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"

for (const database of TestEngine.databases) {
  EvaluatorKit.evaluatorStoreContract(database, Engine.stores.pipe(Layer.provide(TestEngine.storage(database))))
}
