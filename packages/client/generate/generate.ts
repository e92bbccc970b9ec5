/**
 * Writes `src/schema.ts`, the types of the OpenAPI document that the server publishes.
 *
 *     pnpm --filter @earshot/client generate
 */
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath, pathToFileURL } from "node:url"
import { createEngine } from "@earshot/core/promise"
import { earshotListener } from "@earshot/http-adapter"
import openapiTS, { astToString } from "openapi-typescript"

export const SCHEMA_FILE = new URL("../src/schema.ts", import.meta.url)

const HEADER =
  "// Generated from the server's OpenAPI document by `pnpm --filter @earshot/client generate`; do not edit.\n\n"

/** The document of a server with the default settings. */
const openApiDocument = async (): Promise<string> => {
  const engine = await createEngine({ database: "sqlite::memory:" })
  const earshot = await earshotListener(await engine.runtime(), { logLevel: "silent" })
  const server = createServer(earshot.listener)
  try {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).text()
  } finally {
    server.closeAllConnections()
    server.close()
    await earshot.close()
    await engine.close()
  }
}

/** The text of `src/schema.ts` for the current server. */
export const generateSchema = async (): Promise<string> =>
  HEADER + astToString(await openapiTS(await openApiDocument(), { defaultNonNullable: false }))

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(fileURLToPath(SCHEMA_FILE).replace(/\/dist\//, "/"), await generateSchema())
}
