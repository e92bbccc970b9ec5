export * from "./SpeechArbitraries.js"
