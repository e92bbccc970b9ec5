export * from "./kernel/index.js"
export * as Redaction from "./redaction/index.js"
