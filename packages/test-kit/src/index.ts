export * as RedactionKit from "./redaction/index.js"
