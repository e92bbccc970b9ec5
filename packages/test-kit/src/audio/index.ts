export { oggChecksum, oggOpusOf, type OggOpusOptions, oggPacketsOf, oggPage } from "./OggFile.js"
export { wavFileOf, type WavFileOptions } from "./WavFile.js"
