import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterAll, describe, expect, it } from "vitest"
import type { RawRequest } from "../src/Endpoint.js"
import { webApp } from "../src/WebApp.js"
import { serverForBlock } from "./support/TestServer.js"

const folder = mkdtempSync(path.join(tmpdir(), "earshot-web-"))
mkdirSync(path.join(folder, "assets"))
writeFileSync(path.join(folder, "index.html"), '<html data-base=""><script crossorigin src="./assets/app.js"></script>')
writeFileSync(path.join(folder, "assets/app.js"), "plain")
writeFileSync(path.join(folder, "assets/app.js.br"), "brotli")
writeFileSync(path.join(folder, "assets/app.js.gz"), "gzip")
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** What an endpoint answers; undefined if it fails. */
const answer = async (route: string, given: Partial<RawRequest> = {}, basePath = "") => {
  const endpoint = webApp(basePath, [], folder).find((one) => one.path === route)
  const request = { headers: {}, params: {}, ...given } as RawRequest
  const result = await Effect.runPromise(Effect.either(endpoint!.handle(request) as Effect.Effect<never, unknown>))
  return Either.isRight(result)
    ? (result.right as { content?: { text: unknown; type: string }; headers: Record<string, string>; status: number })
    : undefined
}

describe("the files of the web app", () => {
  it("are sent in the coding that the client accepts, and cached for good", async () => {
    for (const [accepted, text, coding] of [
      ["gzip, deflate, br", "brotli", "br"],
      ["gzip", "gzip", "gzip"],
      ["gzip;q=0, identity", "plain", undefined],
      [undefined, "plain", undefined]
    ] as const) {
      const headers = accepted === undefined ? {} : { "accept-encoding": accepted }
      const file = await answer("/app/assets/:file", { params: { file: "app.js" }, headers })
      expect([String(file?.content?.text), file?.headers["content-encoding"]]).toEqual([text, coding])
      expect(file?.headers["cache-control"]).toBe("public, max-age=31536000, immutable")
      expect(file?.headers.vary).toBe("Accept-Encoding")
      expect(file?.content?.type).toBe("text/javascript; charset=utf-8")
    }
  })

  it("are those of the build alone", async () => {
    for (const file of ["none.js", "app.js.br", "../index.html", "..%2findex.html", ""]) {
      expect(await answer("/app/assets/:file", { params: { file } }), file).toBe(undefined)
    }
  })

  it("have the base path of the server in the page", async () => {
    const page = await answer("/app/*", {}, "/earshot")
    expect(String(page?.content?.text)).toBe(
      '<html data-base="/earshot"><script src="/earshot/app/assets/app.js"></script>'
    )
    expect(page?.headers["cache-control"]).toBe("no-cache")
  })
})

describe("the server", async () => {
  const server = await serverForBlock()

  it("redirects browsers from its root to the app, and nobody else", async () => {
    const headers = { accept: "text/html,application/xhtml+xml" }
    const browser = await fetch(`${server.url}/`, { headers, redirect: "manual" })
    expect([browser.status, browser.headers.get("location")]).toEqual([302, "/app/"])
    expect((await server.send("GET", "/")).status).toBe(404)
  })

  it("sends the page for every path of the app, with a policy that allows this server alone", async () => {
    for (const route of ["/app", "/app/", "/app/calls/7", "/app/anything/else"]) {
      const { headers, status } = await fetch(`${server.url}${route}`)
      expect([route, status, headers.get("content-type")]).toEqual([route, 200, "text/html; charset=utf-8"])
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
      )
    }
    expect((await fetch(`${server.url}/app/calls`, { method: "POST" })).status).toBe(405)
  })
})
