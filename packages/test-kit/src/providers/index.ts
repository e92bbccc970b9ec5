export {
  type AskedAudio,
  type AskedQuestion,
  type Fake,
  fakeLanguageModel,
  fakeRecordings,
  fakeTranscriber,
  unavailable
} from "./Fakes.js"
export {
  languageModelContract,
  type LanguageModelWorld,
  recordingSourceContract,
  type RecordingSourceWorld,
  transcriberContract,
  type TranscriberWorld
} from "./ProviderContracts.js"
