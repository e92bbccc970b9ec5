import { CallKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"
import * as CallStoreSql from "../../src/storage/sql/CallStoreSql.js"

for (const database of TestEngine.databases) {
  CallKit.callStoreContract(database, CallStoreSql.layer.pipe(Layer.provideMerge(TestEngine.layer(database))))
}
