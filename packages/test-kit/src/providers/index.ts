export * from "./plain.js"
export {
  languageModelContract,
  type LanguageModelFixture,
  nerProviderContract,
  type NerProviderFixture,
  recordingSourceContract,
  type RecordingSourceFixture,
  textToSpeechContract,
  type TextToSpeechFixture,
  transcriberContract,
  type TranscriberFixture
} from "./ProviderContracts.js"
export { type TokenModel, writeTokenModel } from "./TokenModel.js"
