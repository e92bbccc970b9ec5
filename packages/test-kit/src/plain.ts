/** What tests in any runner begin with: the engine, fakes and worlds, without a test framework. */
export { type PlainEngine, type PlainOptions, type StandingClock, startEngine } from "./PlainEngine.js"
export {
  type AskedAudio,
  type AskedQuestion,
  type Fake,
  fakeLanguageModel,
  fakeRecordings,
  fakeTranscriber,
  unavailable
} from "./providers/Fakes.js"
export * as Worlds from "./worlds/index.js"
