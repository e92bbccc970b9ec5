import { AnalyticsKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"
import { stores } from "../../../src/Engine.js"
import { embedded, projected, resourceNames } from "./projecting.js"

AnalyticsKit.analyticsStoreContract(
  "the embedded column store",
  projected.pipe(
    Layer.provide(embedded),
    Layer.provide(resourceNames),
    Layer.provideMerge(stores),
    Layer.provideMerge(TestEngine.storage("sqlite"))
  )
)
