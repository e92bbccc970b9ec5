export * from "./plain.js"
export {
  languageModelContract,
  type LanguageModelWorld,
  recordingSourceContract,
  type RecordingSourceWorld,
  transcriberContract,
  type TranscriberWorld
} from "./ProviderContracts.js"
