export * from "./plain.js"
export {
  languageModelContract,
  type LanguageModelWorld,
  nerProviderContract,
  type NerProviderWorld,
  recordingSourceContract,
  type RecordingSourceWorld,
  transcriberContract,
  type TranscriberWorld
} from "./ProviderContracts.js"
