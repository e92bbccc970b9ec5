import * as Context from "effect/Context"
import { randomBytes } from "node:crypto"

/**
 * Where secrets come from: bytes that nobody can guess. A reference with the operating system's generator as its
 * default, since Effect's `Random` is made for simulations and can be predicted; tests put in one that repeats.
 */
export class SecretSource extends Context.Reference<SecretSource>()("@earshot/core/access/SecretSource", {
  defaultValue: (): { readonly bytes: (count: number) => Uint8Array } => ({ bytes: (count) => randomBytes(count) })
}) {}
