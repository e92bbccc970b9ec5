export * from "./access/index.js"
export * from "./catalog/index.js"
export * as Engine from "./Engine.js"
export * from "./kernel/index.js"
