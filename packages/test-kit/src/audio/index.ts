export {
  anyFlacFile,
  type FlacFile,
  flacFileOf,
  type FlacFrame,
  flacSamplesOf,
  type FlacSubframe,
  silentFlacFrame
} from "./FlacFile.js"
export { oggChecksum, oggOpusOf, type OggOpusOptions, oggPacketsOf, oggPage } from "./OggFile.js"
export { wavFileOf, type WavFileOptions } from "./WavFile.js"
