/** A server with the app and data like the demo's. */
import { once } from "node:events"
import { createServer } from "node:http"
import { hostActor } from "@earshot/core"
import { createEngine } from "@earshot/core/promise"
import { earshotListener } from "@earshot/http-adapter"
import * as Redacted from "effect/Redacted"
import { buildApp } from "../../build.mjs"

export interface WebServer {
  readonly url: string
  readonly apiKey: string
  readonly agent: number
  readonly project: number
  readonly dashboard: number
  readonly calls: ReadonlyArray<number>
  /** A new sign-in link. */
  readonly signInLink: () => Promise<string>
  /** Posts to the API with the key. */
  readonly post: (path: string, body: unknown) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Text that would run, or break out of its place, if it were not escaped. */
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Etxt\u202C '"&`

const ENDED = ["customer-ended-call", "agent-ended-call", "silence-timed-out", "voicemail"]

const transcript = (index: number) => [
  { role: "Main Agent", content: "Good morning, how can I help you?", start_time: 0.4, end_time: 2.2 },
  { role: "Testing Agent", content: "I need to move my appointment to Thursday.", start_time: 2.9, end_time: 5.4 },
  {
    role: "Main Agent",
    content: "Sure, which time would suit you?",
    start_time: 6.6 + (index % 3),
    end_time: 9.1 + (index % 3)
  },
  { role: "Testing Agent", content: "Two thirty works. Thanks!", start_time: 12.3, end_time: 14 }
]

export const startWebServer = async (count = 150): Promise<WebServer> => {
  await buildApp()
  const engine = await createEngine({ database: "sqlite::memory:", worker: false })
  const { agent, apiKey, organization, project } = await engine.organizations.create({ name: "Lakeside Hotel" })
  const actor = hostActor(organization.id)
  const calls: Array<number> = []
  const now = Date.now()
  for (let index = 0; index < count; index++) {
    const { call } = await engine.calls.ingest(
      {
        call_id: index === count - 2 ? HOSTILE.slice(0, 99) : `call-${String(index).padStart(4, "0")}`,
        agent: agent.id,
        transcript_json:
          index === count - 2
            ? [{ role: "Testing Agent", content: HOSTILE.repeat(4), start_time: 0, end_time: 3 }]
            : transcript(index),
        call_ended_reason: index === count - 2 ? HOSTILE.slice(0, 99) : ENDED[index % ENDED.length],
        customer_number: "+1 202 555 0147",
        metadata: { region: index % 2 === 0 ? "us-east" : "eu-central" },
        timestamp: new Date(now - (count - index) * 3_600_000).toISOString()
      },
      { actor }
    )
    calls.push(call.id)
    if (index % 3 !== 0) await engine.calls.review(call.id, { success: index % 3 === 1, is_reviewed: true }, { actor })
  }
  await engine.jobs.drain()
  const { id: dashboard } = await engine.dashboards.create(
    { name: "Support line", project: project.id, filters: { field: "timestamp", op: "gte", value: "today-29d" } },
    { actor }
  )
  const widgets = [
    { name: "At a glance", chart_type: "stat" },
    { name: "Calls a day", chart_type: "bar", field: "duration", aggregation_function: "count", time_period: "day" },
    { name: "Length of calls", chart_type: "line", field: "duration" },
    { name: "How calls end", chart_type: "pie", field: "call_ended_reason" }
  ] as const
  for (const widget of widgets) {
    await engine.widgets.create({ ...widget, dashboard }, { actor })
  }
  const earshot = await earshotListener(await engine.runtime(), { logLevel: "silent" })
  const server = createServer(earshot.listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const secret = Redacted.value(apiKey.secret)
  const post = async (path: string, body: unknown) =>
    (
      await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "x-service-api-key": secret, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    ).json()
  return {
    url,
    apiKey: secret,
    agent: agent.id,
    project: project.id,
    dashboard,
    calls,
    post,
    signInLink: async () => `${url}${((await post("/user/v1/sign_in_links/", {})) as { path: string }).path}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
      await earshot.close()
      await engine.close()
    }
  }
}
