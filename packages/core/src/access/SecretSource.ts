import * as Context from "effect/Context"
import { randomBytes } from "node:crypto"

/**
 * The source of unpredictable bytes. A reference whose default is the operating system's generator, since Effect's
 * `Random` is predictable; tests provide a repeatable one.
 */
export class SecretSource extends Context.Reference<SecretSource>()("@earshot/core/access/SecretSource", {
  defaultValue: (): { readonly bytes: (count: number) => Uint8Array } => ({ bytes: (count) => randomBytes(count) })
}) {}
