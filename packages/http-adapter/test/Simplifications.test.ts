import { JobRunner } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { at, textAt } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { METRICS, PROGRESS, SIMPLIFY } from "./support/paths.js"

const VERBOSE = "Please make sure that you return TRUE if the agent greets the caller. Otherwise, return FALSE."
const SHORT = "Return TRUE if the agent greets the caller. Otherwise, return FALSE."

for (const database of TestEngine.databases) {
  describe(`prompt simplification over HTTP on ${database}`, async () => {
    const server = await serverForBlock({ database })
    const drain = () => server.run(Effect.flatMap(JobRunner, (runner) => runner.drain))
    const progressOf = (key: string, id: string) =>
      server.send("GET", `${PROGRESS}?progress_id=${encodeURIComponent(id)}`, { key })

    it("returns the documented shape for any encoding, with and without a trailing slash", async () => {
      const { key } = await server.tenant()
      const form = new FormData()
      form.set("original_prompt", VERBOSE)
      const ids = new Set<string>()
      for (const [path, asked] of [
        [SIMPLIFY, { json: { original_prompt: VERBOSE, simplified_prompt: "ignored" } }],
        [SIMPLIFY.slice(0, -1), { body: new URLSearchParams({ original_prompt: VERBOSE }) }],
        [SIMPLIFY, { body: form }]
      ] as const) {
        const { json, status, text } = await server.send("POST", path, { key, ...asked })
        expect([status, json], text).toEqual([
          200,
          {
            simplified_prompt: "",
            original_prompt: VERBOSE,
            skipped_simplification: false,
            progress_id: expect.stringMatching(/^[\w-]{24}$/)
          }
        ])
        ids.add(textAt(json, "progress_id"))
      }
      expect(ids.size).toBe(1)
      const [id = ""] = ids
      expect((await progressOf(key, id)).json).toMatchObject({ status: "queued", error: null })
      await drain()
      const done = await server.send("GET", `${PROGRESS.slice(0, -1)}?progress_id=${id}`, { key })
      expect([done.status, done.json]).toEqual([
        200,
        {
          simplified_prompt: SHORT,
          original_prompt: VERBOSE,
          skipped_simplification: false,
          progress_id: id,
          status: "completed",
          error: null
        }
      ])
      expect((await server.send("POST", SIMPLIFY, { key, json: { original_prompt: SHORT } })).json).toEqual({
        simplified_prompt: SHORT,
        original_prompt: SHORT,
        skipped_simplification: true,
        progress_id: ""
      })
    })

    it("simplifies the prompt of a metric without changing the metric", async () => {
      const { agent, key } = await server.tenant()
      const draft = { agent, name: "Greets", type: "llm_judge", eval_type: "binary", prompt: VERBOSE }
      const metric = textAt((await server.send("POST", METRICS, { key, json: draft })).json, "id")
      const asked = await server.send("POST", SIMPLIFY, { key, json: { metric_id: Number(metric) } })
      await drain()
      const { json } = await progressOf(key, textAt(asked.json, "progress_id"))
      expect((await server.send("GET", `${METRICS}${metric}/`, { key })).json).toMatchObject({ prompt: VERBOSE })
      const prompt = textAt(json, "simplified_prompt")
      expect((await server.send("PATCH", `${METRICS}${metric}/`, { key, json: { prompt } })).status).toBe(200)
      const again = await server.send("POST", SIMPLIFY, { key, body: new URLSearchParams({ metric_id: metric }) })
      expect(again.json).toMatchObject({ skipped_simplification: true, simplified_prompt: SHORT, progress_id: "" })
    })

    it("accepts exactly the credential kinds of the interface", async () => {
      const { agent, key } = await server.tenant()
      const issued = async (kind: string, more: object = {}) => {
        const { json } = await server.send("POST", "/user/v1/tokens/", { key, json: { kind, ...more } })
        return { authorization: `Bearer ${textAt(json, "token")}` }
      }
      const bounds = [{ type: "agent", id: agent }]
      const asked = { original_prompt: VERBOSE }
      for (const [headers, status] of [
        [await issued("oauth2"), 200],
        [await issued("dashboard_session"), 200],
        [await issued("embedded_session", { bounds, permissions: ["catalog:write"] }), 200],
        [await issued("embedded_session", { bounds }), 403],
        [await issued("agent_session", { bounds }), 401],
        [{ "x-shareable-link": "earlink_x" }, 401],
        [{}, 401]
      ] as const) {
        expect([headers, (await server.send("POST", SIMPLIFY, { headers, json: asked })).status]).toEqual([
          headers,
          status
        ])
        const progress = await server.send("GET", `${PROGRESS}?progress_id=x`, { headers })
        expect([headers, progress.status]).toEqual([headers, status === 200 ? 404 : status])
      }
    })

    it("rejects invalid bodies with field errors, never with 500", async () => {
      const mine = await server.tenant()
      const theirs = await server.tenant()
      const post = async (json: unknown) => {
        const answer = await server.send("POST", SIMPLIFY, { key: mine.key, json })
        return [answer.status, answer.json]
      }
      expect(await post({})).toEqual([400, { original_prompt: ["This field is required if metric_id is left out."] }])
      expect(await post({ original_prompt: " " })).toEqual([400, { original_prompt: ["This field may not be blank."] }])
      expect(await post({ original_prompt: VERBOSE, metric_id: 9_999_998 })).toEqual([
        400,
        { metric_id: ['Invalid pk "9999998" - object does not exist.'] }
      ])
      expect(await post({ metric_id: 9_999_999 })).toEqual([
        400,
        { metric_id: ['Invalid pk "9999999" - object does not exist.'] }
      ])
      for (const original_prompt of ["a\0", "\ud800", "a".repeat(50_001), 5, [], {}]) {
        expect(await post({ original_prompt })).toEqual([400, { original_prompt: [expect.any(String)] }])
      }
      expect((await post({ original_prompt: "a".repeat(11 * 1024 * 1024) }))[0]).toBe(413)
      const asked = await server.send("POST", SIMPLIFY, { key: mine.key, json: { original_prompt: VERBOSE } })
      const id = textAt(asked.json, "progress_id")
      for (const [key, one] of [
        [theirs.key, id],
        [mine.key, `${id}x`],
        [mine.key, "../../health"],
        [mine.key, "' OR '1'='1"]
      ] as const) {
        const answer = await progressOf(key, one)
        expect([one, answer.status, answer.json]).toEqual([
          one,
          404,
          { detail: "No Simplification matches the given query." }
        ])
      }
      const blank = await server.send("GET", PROGRESS, { key: mine.key })
      expect([blank.status, blank.json]).toEqual([400, { progress_id: ["This field is required."] }])
      expect((await progressOf(mine.key, "a\0b")).status).toBe(400)
    })

    it("creates one job for concurrent requests of the same prompt", async () => {
      const { key } = await server.tenant()
      const answers = await Promise.all(
        Array.from({ length: 24 }, () => server.send("POST", SIMPLIFY, { key, json: { original_prompt: VERBOSE } }))
      )
      expect(new Set(answers.map(({ json }) => textAt(json, "progress_id"))).size).toBe(1)
      const jobs = await server.send("GET", "/jobs/?kind=simplify_prompt", { key })
      expect(at(jobs.json, "results")).toHaveLength(1)
    })

    it("writes no prompt to the log", async () => {
      const { key } = await server.tenant()
      const canary = "Please never log the canary yellow-feather-19."
      const { json } = await server.send("POST", SIMPLIFY, { key, json: { original_prompt: canary } })
      await drain()
      expect((await progressOf(key, textAt(json, "progress_id"))).text).toContain("yellow-feather-19")
      expect(server.logs()).not.toContain("yellow-feather-19")
    })
  })
}
