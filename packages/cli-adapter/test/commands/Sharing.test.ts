import { hostActor, OrganizationId, untrusted } from "@earshot/core"
import { createEngine } from "@earshot/core/promise"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { createLink, issueToken, listLinks, revokeLink, revokeToken } from "../../src/actions/Access.js"
import { list as listDashboards, show as showDashboard } from "../../src/actions/Dashboards.js"
import { init } from "../../src/actions/Init.js"
import { displayWidth } from "../../src/Text.js"
import { place, type Place } from "../support/databases.js"
import { run } from "../support/inProcess.js"
import { acts } from "../support/text.js"

const none = undefined
const page = { limit: none, cursor: none }

const WIDGETS = [
  { chart_type: "stat", name: "Glance \u001b[2J" },
  { chart_type: "line", field: "metadata.price" },
  {
    chart_type: "bar",
    field: "metadata.price",
    aggregation_function: "sum",
    time_period: "week",
    group_by: { type: "field", field: "metadata.region" }
  },
  { chart_type: "pie", field: "call_ended_reason" },
  { chart_type: "pie", field: "success" }
]

/** A dashboard over calls whose prices go below zero and whose reasons are hostile, empty and long; its id. */
const fill = async (database: string): Promise<number> => {
  const engine = await createEngine({ database })
  try {
    const actor = hostActor(OrganizationId.make(1))
    const [agent] = (await engine.agents.list({}, { actor })).results
    const ids = { agent: agent!.id, project: agent!.project }
    const reasons = ["done", "\u001b[31mred", "", `日本語 ${"x".repeat(80)}`]
    for (let i = 0; i < 24; i++) {
      await engine.calls.ingest(
        {
          call_id: `call ${i}`,
          agent: ids.agent,
          timestamp: `2026-03-${String(1 + i).padStart(2, "0")}T12:00:00Z`,
          call_ended_reason: reasons[i % reasons.length],
          metadata: { price: (i - 12) * 1.5, region: i % 2 === 0 ? "eu" : "us" }
        },
        { actor }
      )
    }
    const dashboard = await engine.dashboards.create({ name: "March \u001b[1m", project: ids.project }, { actor })
    for (const widget of WIDGETS)
      await engine.widgets.create(untrusted({ dashboard: dashboard.id, ...widget }), { actor })
    return dashboard.id
  } finally {
    await engine.close()
  }
}

describe.each(["sqlite", "postgres"] as const)("dashboards, links and tokens on %s", (kind) => {
  let at: Place
  let dashboard = 0
  beforeAll(async () => {
    at = await place(kind)
    await run(init({ database: at.database, json: true, organization: none }))
    dashboard = await fill(at.database)
  })
  afterAll(() => at.remove())

  const host = (json = false) => ({ database: at.database, json, organization: none, apiKey: none })

  it("dashboards show draws every widget within the width of the terminal", async () => {
    for (const columns of [40, 60, 100, 200]) {
      const drawn = await run(showDashboard({ ...host(), id: dashboard }), columns)
      expect(drawn).toMatchObject({ code: 0, err: "" })
      expect(acts(drawn.out)).toBe(false)
      for (const line of drawn.out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    }
    const { out } = await run(showDashboard({ ...host(), id: dashboard }))
    expect(out).toContain("March ␛[1m\n")
    expect(out).toContain("Glance ␛[2J (all calls in scope)\n24 ")
    expect(out).toContain("avg of metadata.price by day")
    expect(out).toContain("sum of metadata.price by week")
    expect(out).toMatch(/^\(blank\) +25\.0 % +6 /m)
    expect(out).toMatch(/calls by success\nno data$/)
  })

  it("dashboards show --json prints the data of every widget", async () => {
    const { err, out } = await run(showDashboard({ ...host(true), id: dashboard }))
    expect(err).toBe("")
    expect(out.split("\n")).toHaveLength(1)
    const shown: unknown = JSON.parse(out)
    expect(shown).toMatchObject({
      id: dashboard,
      name: "March \u001b[1m",
      widget_count: WIDGETS.length,
      widgets: WIDGETS.map(({ chart_type }) => ({ chart_type, data: { chart_type } }))
    })
    const listed = await run(listDashboards({ ...host(true), ...page, project: none }))
    expect(JSON.parse(listed.out)).toMatchObject({ next: null, results: [{ id: dashboard }] })
  })

  it("links create, list and revoke a shareable link", async () => {
    const link = { name: "Board", bounds: [`dashboard:${dashboard}`], permissions: [], expires: none }
    const made = await run(createLink({ ...host(), ...link }))
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^\S{20,}$/) })
    expect(made.err).toContain("X-SHAREABLE-LINK")
    expect(made.err).toContain(`http://127.0.0.1:8080/app/share/${dashboard}#link=${made.out.trim()}`)
    const asJson = await run(createLink({ ...host(true), ...link, name: "Second" }))
    const issued: { readonly id: number } = JSON.parse(asJson.out)
    expect(issued).toMatchObject({ name: "Second", bounds: [{ type: "dashboard", id: dashboard }] })

    const listed = await run(listLinks({ ...host(), ...page }))
    expect(listed.out).toMatch(new RegExp(`Second .*dashboard:${dashboard} .*active\n.*Board `))
    expect(listed.out).not.toContain(made.out)
    expect(JSON.parse((await run(revokeLink({ ...host(true), id: issued.id }))).out)).toEqual({
      id: issued.id,
      revoked: true
    })
    expect((await run(listLinks({ ...host(), ...page }))).out).toMatch(/Second .*revoked/)
    expect(JSON.parse((await run(listLinks({ ...host(true), ...page }))).out)).toMatchObject({ results: [{}, {}] })
    expect((await run(revokeLink({ ...host(), id: 999 }))).code).toBe(1)

    const wrong = await run(createLink({ ...host(), ...link, name: "n".repeat(256), bounds: ["planet:1"] }))
    expect(wrong).toMatchObject({ code: 1, out: "" })
    expect(wrong.err.split("\n").map((line) => line.split(":")[0])).toEqual(["name", "bounds[0].type"])
    expect((await run(createLink({ ...host(), ...link, bounds: ["dashboard"] }))).code).toBe(2)
  })

  it.each(["oauth2", "dashboard_session", "embedded_session"])(
    "tokens issue of kind %s grants read permissions by default",
    async (kind) => {
      const token = { kind, bounds: [`dashboard:${dashboard}`], ttl: none, user: none }
      const made = await run(issueToken({ ...host(true), ...token, permissions: [] }))
      const { permissions }: { readonly permissions: ReadonlyArray<string> } = JSON.parse(made.out)
      expect(permissions).toContain("dashboards:read")
      expect(permissions.filter((one) => !one.endsWith(":read"))).toEqual([])
      const granted = await run(issueToken({ ...host(true), ...token, permissions: ["calls:write"] }))
      expect(JSON.parse(granted.out)).toMatchObject({ permissions: ["calls:write"] })
    }
  )

  it("tokens issue and revoke a token", async () => {
    const token = {
      kind: "embedded_session",
      bounds: [`dashboard:${dashboard}`],
      permissions: ["dashboards:read"],
      ttl: 60,
      user: none
    }
    const made = await run(issueToken({ ...host(), ...token }))
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) })
    const asJson = await run(issueToken({ ...host(true), ...token }))
    const issued: { readonly jti: string } = JSON.parse(asJson.out)
    expect(issued.jti).not.toBe("")
    const whole = await run(revokeToken({ ...host(true), jti: made.out }))
    expect(whole).toMatchObject({ code: 0, out: expect.stringMatching(/^\{"jti":"[\w-]{22}","revoked":true\}$/) })
    for (const jti of ["nope", "", "a.b.c", `${issued.jti}x`]) {
      expect(await run(revokeToken({ ...host(), jti }))).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringMatching(/^JTI: This is neither/)
      })
    }
    expect(JSON.parse((await run(revokeToken({ ...host(true), jti: issued.jti }))).out)).toEqual({
      jti: issued.jti,
      revoked: true
    })
    for (const [path, error] of [
      ["permissions[0]", { permissions: ["nonsense"] }],
      ["ttl", { ttl: 10 ** 12 }],
      ["user", { user: 999 }]
    ] as const) {
      const wrong = await run(issueToken({ ...host(), ...token, ...error }))
      expect(wrong).toMatchObject({ code: 1, out: "", err: expect.stringContaining(`${path}: `) })
    }
  })
})
