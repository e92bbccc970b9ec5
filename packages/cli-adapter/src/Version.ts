import { readFileSync } from "node:fs"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const manifest = Schema.decodeUnknownEither(Schema.parseJson(Schema.Struct({ version: Schema.String })))(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

/** The version of this package. */
export const VERSION = Either.match(manifest, { onLeft: () => "unknown", onRight: ({ version }) => version })
