export * from "./Features.js"
export * from "./Model.js"
export * from "./Tagger.js"
export * from "./WordSets.js"
