export * from "./plain.js"
export { blobStoreContract } from "./BlobStoreContract.js"
export { callFilterContract } from "./CallFilterContract.js"
export { callStoreContract } from "./CallStoreContract.js"
