/**
 * Mounts Earshot under `/earshot` in a `node:http` server with other routes.
 *
 *     node examples/dist/mount-http.js
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { pathToFileURL } from "node:url"
import { createEngine } from "@earshot/core/promise"
import { earshotListener } from "@earshot/http-adapter"

export const main = async (print: (line: string) => void, database = "sqlite::memory:"): Promise<void> => {
  const engine = await createEngine({ database })
  const { agent, api_key } = await engine.organizations.create({ name: "Lakeside Hotel" })
  const earshot = await earshotListener(await engine.runtime(), { basePath: "/earshot", logLevel: "warn" })

  const server = createServer((request, response) => {
    if (request.url?.startsWith("/earshot/") === true) earshot.listener(request, response)
    else response.end("another page")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const base = `http://127.0.0.1:${port}`

  try {
    print(await (await fetch(base)).text())
    const response = await fetch(`${base}/earshot/observability/v1/observe/`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-api-key": api_key.api_key },
      body: JSON.stringify({ call_id: "call-0001", agent: agent.id })
    })
    print(`${response.status} ${response.statusText}`)
    await response.text()
  } finally {
    // In this order: stop accepting requests, interrupt running ones, close the database.
    server.closeIdleConnections()
    server.close()
    await earshot.close()
    await engine.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(console.log)
