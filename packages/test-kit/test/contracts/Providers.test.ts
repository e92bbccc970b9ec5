/** The engine's providers pass the kit's contracts. */
import { PostgresRateLimits } from "@earshot/core/postgres"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import * as QuickJsSandbox from "@earshot/core/providers/QuickJsSandbox"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { AccessKit, CallKit, MetricKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

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

AccessKit.rateLimiterContract("memory", RateLimits.layerMemory)
AccessKit.rateLimiterContract("PostgreSQL", (allowances) =>
  PostgresRateLimits.layer(allowances).pipe(Layer.provide(TestEngine.storage("postgres")))
)

const key = () => randomBytes(32).toString("base64")
const box = (...keys: ReadonlyArray<string>) => Either.getOrThrow(AesSecretBox.parse(Redacted.make(keys.join(","))))
const one = key()
AccessKit.sealingContract("AES", { sealing: box(one), stranger: box(key()), rotated: box(key(), one) })

// Code that ends by itself takes a few milliseconds, and loading does not count.
MetricKit.sandboxContract("QuickJS", QuickJsSandbox.layer({ timeout: "250 millis", concurrency: 2 }))
