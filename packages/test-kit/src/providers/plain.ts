export {
  type AskedAudio,
  type AskedQuestion,
  type Fake,
  fakeLanguageModel,
  fakeRecordings,
  fakeTranscriber,
  unavailable
} from "./Fakes.js"
