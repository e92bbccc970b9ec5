export * as AudioFiles from "./audio/index.js"
export * as TestEngine from "./TestEngine.js"
