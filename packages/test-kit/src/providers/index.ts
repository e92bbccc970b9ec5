export * from "./plain.js"
export {
  languageModelContract,
  type LanguageModelFixture,
  nerProviderContract,
  type NerProviderFixture,
  recordingSourceContract,
  type RecordingSourceFixture,
  transcriberContract,
  type TranscriberFixture
} from "./ProviderContracts.js"
