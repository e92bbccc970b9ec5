export * from "./CallRecord.js"
export { Calls, type Ingested } from "./Calls.js"
export { Upload } from "./Upload.js"
