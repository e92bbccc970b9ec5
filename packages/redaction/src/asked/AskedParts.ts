export * from "./AskedKinds.js"
export * from "./Kinds.js"
