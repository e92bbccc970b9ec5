export * as TestEngine from "./TestEngine.js"
