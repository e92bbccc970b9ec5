import { SecretSource } from "@earshot/core"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"

/**
 * Secrets that are the same in every run: bytes of SHA-256 over a counter. For tests that pin what is made of them, and
 * for nothing else.
 *
 * @param seed tells sequences apart.
 */
export const repeatableSecrets = (seed = "earshot"): Layer.Layer<SecretSource> =>
  Layer.sync(SecretSource, () => {
    let count = 0
    const block = () => createHash("sha256").update(`${seed} ${count++}`).digest()
    return {
      bytes: (length) => {
        const blocks: Array<Buffer> = []
        while (blocks.length * 32 < length) blocks.push(block())
        return Buffer.concat(blocks).subarray(0, length)
      }
    }
  })
