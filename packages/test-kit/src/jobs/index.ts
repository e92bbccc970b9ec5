export * from "./JobStoreContract.js"
