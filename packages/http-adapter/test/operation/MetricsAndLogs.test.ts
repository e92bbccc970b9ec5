import { BlobStore, BlobStoreFailed } from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { withServer } from "../support/Operation.js"
import { CALLS, OBSERVE } from "../support/paths.js"

describe("metrics and logs", () => {
  it("count requests by endpoint, not by requested path", async () => {
    await withServer({}, async (server) => {
      const { agent, key } = await server.tenant()
      for (let n = 0; n < 30; n++) {
        await server.send("GET", `/dashboards/dashboards/${n + 1000}/`, { key })
        await server.send("GET", `/nowhere/canary-${n}?q=${n}`)
        await server.send("POST", OBSERVE, { key, json: { call_id: `canary-${n}`, agent } })
      }
      for (const method of ["PROPFIND", "SUBSCRIBE", "PUT"]) await server.send(method, "/health")
      const { headers, text } = await server.send("GET", "/metrics")
      expect(headers.get("content-type")).toContain("text/plain")
      expect(text).not.toMatch(/canary|1010/)
      expect(text).toContain(
        'earshot_http_requests_total{method="POST",route="/observability/v1/observe/",status="201"} 30\n'
      )
      expect(text).toContain(
        'earshot_http_requests_total{method="GET",route="/dashboards/dashboards/:id/",status="404"} 30\n'
      )
      expect(text).toContain('earshot_http_requests_total{method="GET",route="none",status="404"} 30\n')
      expect(text).toContain(
        'earshot_http_request_duration_seconds_count{method="POST",route="/observability/v1/observe/"} 30\n'
      )
      const names = [...text.matchAll(/^# TYPE (earshot_\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type])
      expect(names).toEqual([
        ["earshot_jobs", "gauge"],
        ["earshot_jobs_oldest_waiting_seconds", "gauge"],
        ["earshot_jobs_claimed_total", "counter"],
        ["earshot_jobs_ended_total", "counter"],
        ["earshot_jobs_duration_seconds_total", "counter"],
        ["earshot_jobs_retried_total", "counter"],
        ["earshot_jobs_dead_total", "counter"],
        ["earshot_jobs_lost_leases_total", "counter"],
        ["earshot_http_requests_total", "counter"],
        ["earshot_http_request_duration_seconds", "histogram"],
        ["earshot_webhook_events_total", "counter"],
        ["earshot_webhook_refusals_total", "counter"],
        ["earshot_trace_spans_total", "counter"],
        ["earshot_redactions_total", "counter"],
        ["earshot_redaction_calls_total", "counter"],
        ["earshot_redaction_seconds_total", "counter"],
        ["earshot_redaction_recordings_dropped_total", "counter"],
        ["earshot_analytics_answers_total", "counter"],
        ["earshot_column_store_failures_total", "counter"],
        ["earshot_projection_calls_total", "counter"],
        ["earshot_projection_deletes_total", "counter"],
        ["earshot_projection_batches_total", "counter"],
        ["earshot_projection_seconds_total", "counter"],
        ["earshot_projection_erasures_total", "counter"],
        ["earshot_projection_pending", "gauge"],
        ["earshot_projection_lag_seconds", "gauge"],
        ["earshot_http_requests_in_flight", "gauge"],
        ["earshot_http_body_bytes_in_flight", "gauge"],
        ["earshot_http_response_bytes_in_flight", "gauge"],
        ["earshot_http_connections", "gauge"],
        ["earshot_http_connections_closed_total", "counter"],
        ["earshot_http_unavailable_total", "counter"],
        ["earshot_event_loop_delay_seconds", "histogram"],
        ["earshot_event_loop_active_seconds_total", "counter"]
      ])
      const labels = new Set([...text.matchAll(/([a-z_]+)="/g)].map(([, label]) => label))
      for (const label of ["method", "route", "status", "le", "reason"]) labels.delete(label)
      // Lists of the interface: sensitive fields, voice platforms, and the outcomes of their events.
      for (const label of ["field", "platform", "outcome", "source", "reason"]) labels.delete(label)
      // Those of the process: versions, spaces of the heap, kinds of handles.
      for (const label of labels)
        expect(["version", "major", "minor", "patch", "space", "kind", "type", "quantile"]).toContain(label)
      expect(text).toContain("process_resident_memory_bytes")
    })
  })

  it("contain no secret and no caller's data at any level, whatever fails", async () => {
    const callerText = "canary-transcript"
    const number = "+49555canary"
    const blobs = Layer.map(MemoryBlobStore.layer, (context) => context).pipe(
      Layer.flatMap(() =>
        Layer.succeed(
          BlobStore,
          BlobStore.of({
            put: () =>
              new BlobStoreFailed({
                operation: "put",
                cause: new Error(`${callerText}\n    at ${callerText} (file.js:1:1)`, { cause: new Error(number) })
              }),
            get: () => Stream.die(new Error(callerText)),
            remove: () => Effect.void,
            has: () => Effect.succeed(false),
            list: () => Effect.succeed([]),
            removeUnfinished: () => Effect.void
          })
        )
      )
    )
    await withServer({ logLevel: "debug", ports: { blobs } }, async (server) => {
      const { agent, key, project } = await server.tenant()
      const dashboard = at(
        (await server.send("POST", "/dashboards/dashboards/", { key, json: { name: callerText, project } })).json,
        "id"
      )
      const link = await server.send("POST", "/user/v1/shareable_links/", {
        key,
        json: { bounds: [{ type: "dashboard", id: dashboard }] }
      })
      const token = await server.send("POST", "/user/v1/tokens/", { key, json: { kind: "oauth2" } })
      const transcript = [{ role: "Main Agent", content: callerText, start_time: 0, end_time: 1 }]
      const call = {
        call_id: "canary-call",
        agent,
        customer_number: number,
        transcript_json: transcript,
        metadata: { secret: callerText }
      }
      expect((await server.send("POST", OBSERVE, { key, json: call })).status).toBe(201)
      expect(
        (await server.send("POST", OBSERVE, { key, json: { ...call, customer_number: number.repeat(20) } })).status
      ).toBe(400)
      expect(
        (
          await server.send("POST", OBSERVE, {
            key,
            headers: { "content-type": "application/json" },
            body: `{"${callerText}`
          })
        ).status
      ).toBe(400)
      const form = new FormData()
      form.append("call_id", "canary-file")
      form.append("agent", String(agent))
      form.append("transcript_json", JSON.stringify(transcript))
      form.append("voice_recording", new Blob([CallKit.wav(1)]), `${number}.wav`)
      const broken = await server.send("POST", OBSERVE, { key, body: form })
      expect([broken.status, at(broken.json, "detail")]).toEqual([500, "A server error occurred."])
      expect(broken.text).not.toContain("canary")
      const filter = encodeURIComponent(JSON.stringify({ field: "customer_number", op: "eq", value: number }))
      await server.send("GET", `${CALLS}?filters_v2=${filter}`, { key })
      await server.send("GET", `/${callerText}?key=${key}`, { key })
      await server.send("GET", "/dashboards/dashboards/", {
        headers: { "x-shareable-link": String(at(link.json, "token")) }
      })
      await server.send("GET", "/dashboards/dashboards/", {
        headers: { authorization: `Bearer ${String(at(token.json, "token"))}` }
      })
      await server.send("GET", "/dashboards/dashboards/", { key: `${key}x` })

      const logs = server.logs()
      const lines = logs
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line))
      expect(lines.length).toBeGreaterThan(10)
      for (const line of lines)
        expect([at(line, "level"), at(line, "time"), at(line, "msg")].every((one) => typeof one === "string")).toBe(
          true
        )
      for (const secret of ["canary", key, String(at(link.json, "token")), String(at(token.json, "token"))]) {
        expect(logs.includes(secret), secret).toBe(false)
      }
      // What is there is enough to find the reason.
      const failure = lines.find((line) => at(line, "msg") === "request failed")
      expect(at(failure, "request_id")).toBe(at(broken.json, "request_id"))
      expect(at(failure, "errors", "0", "operation")).toBe("BlobStore.put")
    })
  })
})
