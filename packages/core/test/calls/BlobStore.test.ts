import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit } from "@earshot/test-kit"
import { afterAll } from "vitest"
import * as Effect from "effect/Effect"

const directory = mkdtempSync(join(tmpdir(), "earshot-blobs-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

CallKit.blobStoreContract("in memory", MemoryBlobStore.layer)
CallKit.blobStoreContract(
  "of files",
  FileBlobStore.layer({ directory }),
  Effect.sync(() => {
    const unfinished = join(directory, "unfinished")
    return existsSync(unfinished) ? readdirSync(unfinished).length : 0
  })
)
