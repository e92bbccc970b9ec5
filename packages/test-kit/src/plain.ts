/**
 * What tests in any runner begin with: the engine, fakes and worlds, and all of the kit but its contracts, without a test
 * framework.
 */
export * as AccessKit from "./access/plain.js"
export * as AnalyticsKit from "./analytics/plain.js"
export * as CallKit from "./calls/plain.js"
export * as CatalogKit from "./catalog/plain.js"
export * as CheckoutKit from "./checkouts/plain.js"
export * as CreditKit from "./credits/plain.js"
export * as DashboardKit from "./dashboards/plain.js"
export * as EvaluatorKit from "./evaluators/plain.js"
export * as FilterKit from "./filters/index.js"
export * as InputKit from "./inputs/index.js"
export * as Laws from "./Law.js"
export * as LimitKit from "./limits/index.js"
export * as MetricKit from "./metrics/plain.js"
export * as ModelKit from "./models/index.js"
export * as PageKit from "./pages/index.js"
export { type PlainEngine, type PlainOptions, type StandingClock, startEngine } from "./PlainEngine.js"
export {
  type AskedAudio,
  type AskedQuestion,
  type Fake,
  fakeLanguageModel,
  fakeRecordings,
  fakeTranscriber,
  unavailable
} from "./providers/plain.js"
export * as RedactionKit from "./redaction/index.js"
export * as ResultKit from "./results/plain.js"
export * as SimplificationKit from "./simplification/plain.js"
export * as SuiteKit from "./suites/index.js"
export * as TestEngine from "./TestEngine.js"
export * as TranscriptArbitraries from "./transcripts/index.js"
export * as Worlds from "./worlds/index.js"
