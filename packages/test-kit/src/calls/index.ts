export { wav } from "./Audio.js"
export { blobStoreContract } from "./BlobStoreContract.js"
export { callStoreContract } from "./CallStoreContract.js"
export { document, flaws, ingestInput, type IngestInput, type InvalidIngest, invalidIngest } from "./IngestBodies.js"
