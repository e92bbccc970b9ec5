export * from "./TracedCalls.js"
