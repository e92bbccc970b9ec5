import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as PresidioNer from "@earshot/core/providers/PresidioNer"
import { NerFailed, NerProvider, sensitiveFields } from "@earshot/redaction"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** An analyzer with one response for every request, and the bodies of the requests. */
const analyzer = (status: number, body: string) => {
  const bodies: Array<unknown> = []
  return Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          bodies.push([request.method, request.url, JSON.parse(Buffer.concat(chunks).toString())])
          response.writeHead(status, { "content-type": "application/json" }).end(body)
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => ({ bodies, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })))
}

const recognize = (baseUrl: string, turns: ReadonlyArray<string>) =>
  Effect.flatMap(NerProvider, (ner) => ner.recognize(turns, sensitiveFields)).pipe(
    Effect.provide(Layer.provide(PresidioNer.layer({ baseUrl, timeout: "5 seconds" }), OutboundHttp.layer()))
  )

it.scopedLive("sends every turn to the analyzer and reads its entities in UTF-16 code units", () =>
  Effect.gen(function* () {
    const { baseUrl, bodies } = yield* analyzer(
      200,
      JSON.stringify([
        { entity_type: "PERSON", start: 2, end: 6, score: 0.85 },
        { entity_type: "UNKNOWN_KIND", start: 0, end: 1, score: 1 },
        { entity_type: "LOCATION", start: 90, end: 95, score: 1 }
      ])
    )
    const spans = yield* recognize(baseUrl, ["👋 Ravi", " "])
    expect(bodies).toEqual([["POST", "/analyze", { text: "👋 Ravi", language: "en" }]])
    expect(spans).toEqual([
      { turn: 0, start: 3, end: 7, field: "person_name", score: 0.85, evidence: ["analyzer PERSON"] }
    ])
  })
)

it.scopedLive("fails without the response where the analyzer returns an error or no list of entities", () =>
  Effect.gen(function* () {
    for (const [status, body] of [
      [500, "Ravi"],
      [200, '{"error":"Ravi"}'],
      [200, "Ravi"]
    ] as const) {
      const { baseUrl } = yield* analyzer(status, body)
      const error = yield* Effect.flip(recognize(baseUrl, ["I am Ravi"]))
      expect(error).toBeInstanceOf(NerFailed)
      expect(JSON.stringify(error)).not.toContain("Ravi")
    }
  })
)
