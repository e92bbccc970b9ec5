export * as FilterKit from "./filters/index.js"
export * as TestEngine from "./TestEngine.js"
export * as TranscriptArbitraries from "./transcripts/index.js"
