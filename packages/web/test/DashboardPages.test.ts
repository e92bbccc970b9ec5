/** Dashboards in a browser: placing, drilling down, files, refreshing, sharing, and the same numbers everywhere. */
import { readFileSync } from "node:fs"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startBrowser } from "./support/browser.js"
import { expectSoundPage, openPage, type OpenOptions } from "./support/page.js"
import { startWebServer, type WebServer } from "./support/server.js"
import { startTerminal } from "./support/terminal.js"

interface Place {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

interface StoredWidget {
  readonly id: number
  readonly name: string
  readonly metadata: { readonly layout?: Place; readonly owner?: string } | null
}

describe("dashboards of the web app", () => {
  let server: WebServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: ReadonlyArray<string> = []
  /** Another site, whose page at /ORIGIN-RELATIVE-PATH has that page of the server in a frame. */
  let site = ""
  const ends: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    const other = createServer(({ url = "/" }, response) => {
      const framed = decodeURIComponent(url.slice(1))
      response.setHeader("content-type", "text/html").end(`<!doctype html><iframe src="${framed}"></iframe>`)
    })
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    ends.push(async () => {
      other.closeAllConnections()
      other.close()
      await once(other, "close")
    })
    const address = other.address()
    site = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    server = await startWebServer(150, [site])
    ends.unshift(server.close)
    browser = await startBrowser()
    ends.unshift(() => browser.close())
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  const open = async (options: OpenOptions = {}) => {
    const opened = await openPage(browser, server, options)
    context = opened.context
    page = opened.page
    problems = opened.problems
  }
  beforeEach(() => {
    problems = []
  })
  afterEach(async () => {
    await context.close()
    expect(problems).toEqual([])
  })

  /** A dashboard of its own, with these widgets. */
  const dashboardOf = async (name: string, widgets: ReadonlyArray<object>, filters: object | null = null) => {
    const { id } = (await server.post("/dashboards/dashboards/", { name, project: server.project, filters })) as {
      id: number
    }
    for (const widget of widgets) await server.post("/dashboards/widgets/", { ...widget, dashboard: id })
    return id
  }
  const widgetsOf = async (dashboard: number) =>
    ((await server.get(`/dashboards/dashboards/${dashboard}/`)) as { widgets: ReadonlyArray<StoredWidget> }).widgets
  const placesOf = async (dashboard: number) =>
    Object.fromEntries((await widgetsOf(dashboard)).map(({ metadata, name }) => [name, metadata?.layout]))
  const dataOf = async (dashboard: number, name: string) => {
    const widget = (await widgetsOf(dashboard)).find((one) => one.name === name)
    return server.get(`/dashboards/widgets/${widget?.id}/data/`)
  }
  const region = (name: string) => page.getByRole("region", { name, exact: true })
  const goTo = async (dashboard: number) => {
    await page.goto(`${server.url}/app/dashboards/${dashboard}`)
    await page.locator(".widget").first().waitFor()
    await page.locator(".widget .skeleton").first().waitFor({ state: "detached" })
  }
  const until = async (condition: () => Promise<boolean>) => {
    for (let left = 100; left > 0; left--) {
      if (await condition()) return
      await page.waitForTimeout(100)
    }
    expect.fail("The condition did not hold in time.")
  }
  const center = async (locator: Locator) => {
    const box = await locator.boundingBox()
    if (box === null) throw new Error("It is not in the page.")
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width }
  }

  const PIES = [
    { name: "One", chart_type: "pie", field: "call_ended_reason", metadata: { layout: { x: 0, y: 0, w: 6, h: 3 } } },
    {
      name: "Two",
      chart_type: "pie",
      field: "metadata.region",
      metadata: { layout: { x: 6, y: 0, w: 6, h: 3 }, owner: "kept" }
    }
  ]

  describe("widgets", () => {
    it("are moved by the mouse, push others down, are resized, and are back with Escape", async () => {
      await open()
      const dashboard = await dashboardOf("Mouse", PIES)
      await goTo(dashboard)
      const grip = await center(page.getByRole("button", { name: "Move Two" }))
      const column = (await center(page.locator(".grid"))).width / 12
      await page.mouse.move(grip.x, grip.y)
      await page.mouse.down()
      await page.mouse.move(grip.x - 6 * column, grip.y + 10, { steps: 4 })
      // What the drop would do is shown while it is dragged.
      await page.waitForFunction(() =>
        document.querySelector<HTMLElement>('[aria-label="Two"]')?.style.gridColumn.startsWith("1 ")
      )
      await expectSoundPage(page, "dashboard-dragged")
      await page.keyboard.press("Escape")
      await page.waitForFunction(() =>
        document.querySelector<HTMLElement>('[aria-label="Two"]')?.style.gridColumn.startsWith("7 ")
      )
      await page.mouse.up()
      expect(await placesOf(dashboard)).toEqual({
        One: { x: 0, y: 0, w: 6, h: 3 },
        Two: { x: 6, y: 0, w: 6, h: 3 }
      })
      await page.mouse.move(grip.x, grip.y)
      await page.mouse.down()
      await page.mouse.move(grip.x - 6 * column, grip.y + 10, { steps: 4 })
      await page.mouse.up()
      await until(async () => (await placesOf(dashboard)).One?.y === 3)
      expect(await placesOf(dashboard)).toEqual({
        One: { x: 0, y: 3, w: 6, h: 3 },
        Two: { x: 0, y: 0, w: 6, h: 3 }
      })
      // What else the metadata has is kept.
      expect((await widgetsOf(dashboard)).find(({ name }) => name === "Two")?.metadata?.owner).toBe("kept")
      const corner = await center(region("Two").locator(".resize"))
      await page.mouse.move(corner.x, corner.y)
      await page.mouse.down()
      await page.mouse.move(corner.x + 3 * column, corner.y + 116, { steps: 4 })
      await page.mouse.up()
      await until(async () => (await placesOf(dashboard)).Two?.w === 9)
      expect((await placesOf(dashboard)).Two).toEqual({ x: 0, y: 0, w: 9, h: 4 })
      await page.reload()
      await page.waitForFunction(() =>
        document.querySelector<HTMLElement>('[aria-label="One"]')?.style.gridRow.startsWith("5 ")
      )
    })

    it("are moved and resized with the arrow keys, as fast as they are pressed", async () => {
      await open()
      const dashboard = await dashboardOf("Keys", PIES)
      await goTo(dashboard)
      await page.getByRole("button", { name: "Move One" }).focus()
      for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowDown")
      for (let press = 0; press < 2; press++) await page.keyboard.press("Shift+ArrowLeft")
      await page.keyboard.press("ArrowRight")
      await page.getByText("One: column 2, row 4, 4 of 12 columns wide, 3 rows tall").waitFor()
      await until(async () => (await placesOf(dashboard)).One?.x === 1)
      expect((await placesOf(dashboard)).One).toEqual({ x: 1, y: 3, w: 4, h: 3 })
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Move One")
    })

    it("cannot be moved, shared or added with a key that may only read", async () => {
      const { api_key: apiKey } = (await server.post("/user/v1/api_keys/", {
        name: "Reader",
        scopes: ["dashboards:read", "calls:read"]
      })) as { api_key: string }
      await open({ apiKey })
      await goTo(server.dashboard)
      for (const name of [/^Move /, /^Actions of /, "Widget", "Share"]) {
        expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0)
      }
    })
  })

  describe("a part of a chart", () => {
    const COUNT = { chart_type: "bar", aggregation_function: "count", time_period: "day" }
    const WIDGETS: Array<{ readonly name: string } & Readonly<Record<string, unknown>>> = [
      { ...COUNT, name: "Reasons", field: "call_ended_reason" },
      { ...COUNT, name: "By region", field: "duration", group_by: { type: "field", field: "metadata.region" } },
      { name: "Success", chart_type: "line", field: "success" },
      { name: "Outcomes", chart_type: "pie", field: "status", group_by: { type: "field", field: "metadata.region" } },
      { name: "Weeks", chart_type: "pie", field: "success", group_by: { type: "bucket", interval: 604_800_000 } },
      { name: "Regions", chart_type: "pie", field: "metadata.region" }
    ]
    let dashboard = 0
    beforeAll(async () => {
      const { results } = (await server.get("/test_framework/v1/metrics/?limit=200")) as {
        results: ReadonlyArray<{ id: number; name: string }>
      }
      const metric = results.find(({ name }) => name === "Latency")?.id
      const latency = { name: "Latency", chart_type: "line", field: "metric_evaluations.value", metric }
      WIDGETS.push(latency)
      dashboard = await dashboardOf("Drill down", WIDGETS, { field: "timestamp", op: "gte", value: "today-29d" })
    })

    /** How many calls the list has once a part was opened. */
    const opened = async (act: () => Promise<void>): Promise<number> => {
      await goTo(dashboard)
      await act()
      await page.waitForURL(/\/app\/calls/)
      const filter = new URL(page.url()).searchParams.get("filter") ?? ""
      const { total } = (await server.get(
        `/observability/v1/call-logs/facets/?fields=status&filters_v2=${encodeURIComponent(filter)}`
      )) as { total: number }
      return total
    }

    it("opens as many calls as it counts: every point and slice", async () => {
      await open()
      for (const { name } of WIDGETS) {
        const data = (await dataOf(dashboard, name)) as {
          chart_type: string
          series: ReadonlyArray<{ label: string; points: ReadonlyArray<{ count?: number; value: number }> }>
        }
        if (data.chart_type !== "pie") {
          const row = Math.floor((data.series[0]?.points.length ?? 0) / 2)
          for (const [column, { points }] of data.series.entries()) {
            const count = points[row]?.count ?? 0
            if (count === 0) continue
            const found = await opened(async () => {
              await region(name).getByText("Data", { exact: true }).click()
              await region(name)
                .getByRole("row")
                .nth(row + 1)
                .locator("td")
                .nth(column + 1)
                .getByRole("button")
                .click()
            })
            expect([name, row, column, found]).toEqual([name, row, column, count])
          }
        } else {
          const counts = data.series.flatMap(({ points }) => points.map(({ value }) => value))
          for (const at of [0, counts.length - 1]) {
            const found = await opened(() => region(name).locator("button.slice").nth(at).click())
            expect([name, at, found]).toEqual([name, at, counts[at]])
          }
        }
      }
    })

    it("is opened by a click on its bar, the one of a group too", async () => {
      await open()
      await goTo(dashboard)
      const data = (await dataOf(dashboard, "By region")) as {
        series: ReadonlyArray<{ key: string; points: ReadonlyArray<{ count: number }> }>
      }
      const at = 3
      const periods = data.series[0]?.points.length ?? 0
      const totals = data.series[0]?.points.map((_, period) =>
        data.series.reduce((sum, { points }) => sum + (points[period]?.count ?? 0), 0)
      )
      const highest = Math.max(...(totals ?? []))
      /** Clicks in the middle of a series' part of the stacked bar of a period. */
      const clickOn = async (series: number) => {
        const above = data.series.slice(series + 1).reduce((sum, { points }) => sum + (points[at]?.count ?? 0), 0)
        const middle = above + (data.series[series]?.points[at]?.count ?? 0) / 2
        const over = region("By region").locator(".u-over")
        const box = await over.boundingBox()
        if (box === null) throw new Error("There is no chart.")
        await over.click({
          position: { x: ((at + 0.5) / periods) * box.width, y: box.height * (1 - middle / (highest * 1.1)) }
        })
      }
      for (const series of [0, 1]) {
        const found = await opened(() => clickOn(series))
        const filter = new URL(page.url()).searchParams.get("filter") ?? ""
        expect(filter).toContain(
          JSON.stringify({ field: "metadata.region", op: "eq", value: data.series[series]?.key })
        )
        expect(found).toBe(data.series[series]?.points[at]?.count)
      }
    })

    it("is opened by a click on its slice in the circle", async () => {
      await open()
      const pie = (await dataOf(dashboard, "Regions")) as { series: [{ points: ReadonlyArray<{ value: number }> }] }
      const found = await opened(async () => {
        await region("Regions").scrollIntoViewIfNeeded()
        const box = await region("Regions").locator(".pie svg").boundingBox()
        if (box === null) throw new Error("There is no pie.")
        // On the ring, right of the top: the first slice.
        await page.mouse.click(
          box.x + (box.width * (21 + 16 * Math.sin(0.4))) / 42,
          box.y + (box.height * (21 - 16 * Math.cos(0.4))) / 42
        )
      })
      expect(found).toBe(pie.series[0].points[0]?.value)
    })
  })

  describe("a file", () => {
    it("has a dashboard without ids, of which another one is created with the same charts", async () => {
      await open()
      const metrics = (await server.get("/test_framework/v1/metrics/?limit=200")) as {
        results: ReadonlyArray<{ id: number; name: string }>
      }
      const latency = metrics.results.find(({ name }) => name === "Latency")
      const dashboard = await dashboardOf(
        "Original",
        [...PIES, { name: "Latency", chart_type: "line", field: "metric_evaluations.value", metric: latency?.id }],
        { field: "timestamp", op: "gte", value: "today-29d" }
      )
      await goTo(dashboard)
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export" }).click()
      ])
      const text = readFileSync(await file.path(), "utf8")
      expect(text).not.toMatch(/"(?:id|dashboard|project|metric)"/)
      await page.goto(`${server.url}/app/dashboards`)
      await page.getByRole("button", { name: "Import" }).click()
      await page
        .getByLabel("File")
        .setInputFiles({ name: "dashboard.json", mimeType: "application/json", buffer: Buffer.from(text) })
      await page.waitForFunction(() => document.querySelector("textarea")?.value !== "")
      await page.getByLabel("Name", { exact: true }).fill("Copy")
      await expectSoundPage(page, "dashboard-import")
      await page.getByRole("dialog").getByRole("button", { name: "Import" }).click()
      await page.getByRole("heading", { name: "Copy" }).waitFor()
      const copy = Number(/\d+$/.exec(new URL(page.url()).pathname)?.[0])
      expect(copy).not.toBe(dashboard)
      const withoutIds = (widget: object) =>
        Object.fromEntries(
          Object.entries(widget).filter(([name]) => !["id", "dashboard", "created_at", "updated_at"].includes(name))
        )
      expect((await widgetsOf(copy)).map(withoutIds)).toEqual((await widgetsOf(dashboard)).map(withoutIds))
    })

    it("that is wrong says where, and leaves nothing behind", async () => {
      await open({ width: 360 })
      await page.goto(`${server.url}/app/dashboards`)
      await page.getByRole("button", { name: "Import" }).click()
      const json = page.getByLabel("Or its JSON")
      await json.fill("{")
      await page.getByRole("alert").getByText("This is not JSON.").waitFor()
      await json.fill('{"widgets":[{"chart_type":"pie","filters":{"op":"eq"}}]}')
      await page.getByRole("alert").getByText("Widget 1 has filters that are not a filter.").waitFor()
      await json.fill(
        JSON.stringify({
          name: "Broken",
          filters: { field: "agent.id", op: "eq", value: 1 },
          widgets: [
            { name: "Good", chart_type: "stat" },
            { name: "Bad <b>", chart_type: "pie", field: "nonsense" }
          ]
        })
      )
      await page.getByText("Filters contain ids of the project that the file was exported from, in agent.id.").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Import" }).click()
      await page.getByRole("alert").getByText("Widget 2 (Bad <b>): field:").waitFor()
      await expectSoundPage(page, "dashboard-import-360")
      const { results } = (await server.get("/dashboards/dashboards/?limit=200")) as {
        results: ReadonlyArray<{ name: string }>
      }
      expect(results.map(({ name }) => name)).not.toContain("Broken")
      expect(await json.inputValue()).toContain("Bad <b>")
    })
  })

  it("are read again every minute, but not while the page is hidden", async () => {
    await open()
    await page.clock.install()
    let reads = 0
    page.on("request", (request) => {
      if (request.url().endsWith("/data/")) reads++
    })
    await page.goto(`${server.url}/app/dashboards/${server.dashboard}`)
    await page.clock.runFor(1_000)
    await region("How calls end").getByText("voicemail").waitFor()
    expect(reads).toBe(1)
    await page.clock.runFor(61_000)
    await until(() => Promise.resolve(reads === 2))
    const setHidden = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value: value ? "hidden" : "visible", configurable: true })
        window.dispatchEvent(new Event("visibilitychange"))
        document.dispatchEvent(new Event("visibilitychange"))
      }, hidden)
    await setHidden(true)
    await page.clock.runFor(300_000)
    await page.waitForTimeout(300)
    expect(reads).toBe(2)
    await setHidden(false)
    await page.clock.runFor(61_000)
    await until(() => Promise.resolve(reads > 2))
  })

  it("show the numbers that the API and the terminal have", async () => {
    await open()
    const terminal = await startTerminal(server)
    try {
      const numbers = (text: string): ReadonlyArray<string> => text.match(/\d[\d,]*(?:\.\d+)?/g) ?? []
      const shown = JSON.parse(await terminal.earshot("dashboards", "show", String(server.dashboard), "--json")) as {
        widgets: ReadonlyArray<{ name: string; data: unknown }>
      }
      for (const { data, name } of shown.widgets)
        expect([name, data]).toEqual([name, await dataOf(server.dashboard, name)])
      const drawn = await terminal.earshot("dashboards", "show", String(server.dashboard))
      await goTo(server.dashboard)
      const stat = (await dataOf(server.dashboard, "At a glance")) as { total_calls: number; success_rate: number }
      const rate = (stat.success_rate * 100).toFixed(1).replace(/\.0$/, "")
      const pageStat = numbers(await region("At a glance").innerText())
      const glance = numbers(drawn.slice(drawn.indexOf("At a glance"), drawn.indexOf("Calls a day")))
      for (const number of [String(stat.total_calls), rate]) {
        expect(pageStat).toContain(number)
        expect(glance.map((one) => one.replace(/\.0$/, ""))).toContain(number)
      }
      const pie = (await dataOf(server.dashboard, "How calls end")) as {
        series: [{ points: ReadonlyArray<{ label: string; value: number }> }]
      }
      const ends = drawn.slice(drawn.indexOf("How calls end"))
      for (const { label, value } of pie.series[0].points.filter((one) => /^[\w-]+$/.test(one.label))) {
        expect(numbers(await region("How calls end").getByRole("button", { name: label }).innerText())).toContain(
          String(value)
        )
        expect(numbers(ends.split("\n").find((line) => line.includes(label)) ?? "")).toContain(String(value))
      }
      const bars = (await dataOf(server.dashboard, "Calls a day")) as {
        series: [{ points: ReadonlyArray<{ value: number }> }]
      }
      await region("Calls a day").getByText("Data", { exact: true }).click()
      const cells = await region("Calls a day").locator("tbody td:nth-child(2)").allInnerTexts()
      expect(cells.map(Number)).toEqual(bars.series[0].points.map(({ value }) => value))
    } finally {
      await terminal.close()
    }
  })

  describe("a shared page", () => {
    const linkTo = async (dashboard: number, more: object = {}) =>
      (await server.post("/user/v1/shareable_links/", {
        bounds: [{ type: "dashboard", id: dashboard }],
        ...more
      })) as { id: number; token: string }

    it("is made in the dashboard, shows it without a session, and ends with its link", async () => {
      await open()
      await goTo(server.dashboard)
      await page.getByRole("button", { name: "Share" }).click()
      await page.getByLabel("For whom").fill("The board")
      await page.getByRole("button", { name: "Create link" }).press("Enter")
      const address = await page.getByLabel("Link", { exact: true }).inputValue()
      expect(address).toMatch(new RegExp(`^${server.url}/app/share/${server.dashboard}#link=earlink_\\w+$`))
      expect(await page.getByLabel("For a page that shows it in a frame").inputValue()).toContain(`src="${address}"`)
      await expectSoundPage(page, "dashboard-share")
      await context.clearCookies()
      await page.goto("about:blank")
      await page.goto(address)
      await page.getByRole("heading", { name: "Support line" }).waitFor()
      await region("How calls end").getByText("voicemail").waitFor()
      await expectSoundPage(page, "shared")
      // To look at: nothing is opened, moved or changed.
      expect(await page.locator("button:enabled").count()).toBe(0)
      // The secret is in no address and in no Referer.
      const token = /earlink_\w+$/.exec(address)?.[0] ?? ""
      const withToken = server.requests().filter((request) => request.includes(token))
      expect(withToken.length).toBeGreaterThan(0)
      for (const request of withToken) expect(request.replace(`"x-shareable-link":"${token}"`, "")).not.toContain(token)
      for (const request of server.requests()) expect(request).not.toMatch(/"referer":"[^"]*app\/share/)
      // A link of one dashboard reads nothing else, not even for who has a session here.
      const other = await dashboardOf("Secret", [])
      await page.goto("about:blank")
      await page.goto(address.replace(`/share/${server.dashboard}`, `/share/${other}`))
      await page.getByText("This dashboard is not shared with this link").waitFor()

      const links = (await server.get("/user/v1/shareable_links/")) as { results: ReadonlyArray<{ id: number }> }
      await server.delete(`/user/v1/shareable_links/${links.results[0]?.id}/`)
      await page.goto("about:blank")
      await page.goto(address)
      await page.getByText("This link is invalid, expired or revoked.").waitFor()
      await expectSoundPage(page, "shared-revoked")
    })

    it("of a link reads that dashboard alone: every other address is refused", async () => {
      await open()
      const { token } = await linkTo(server.dashboard)
      const other = await dashboardOf("Other", [{ name: "Total", chart_type: "stat" }])
      const [widget] = await widgetsOf(other)
      const status = async (path: string, method = "GET") =>
        (await fetch(`${server.url}${path}`, { method, headers: { "x-shareable-link": token } })).status
      expect(await status(`/dashboards/dashboards/${server.dashboard}/data/`)).toBe(200)
      for (const path of [
        `/dashboards/dashboards/${other}/`,
        `/dashboards/dashboards/${other}/data/`,
        `/dashboards/widgets/${widget?.id}/`,
        `/dashboards/widgets/${widget?.id}/data/`
      ]) {
        expect([path, await status(path)]).toEqual([path, 404])
      }
      const calls = ["", "facets/", "export/", `${server.calls[0]}/`].map(
        (path) => `/observability/v1/call-logs/${path}`
      )
      for (const path of [...calls, "/test_framework/v1/agents/", "/user/v1/session/", "/user/v1/shareable_links/"]) {
        expect([path, await status(path)]).toEqual([path, 401])
      }
      expect(await status(`/dashboards/dashboards/${server.dashboard}/`, "DELETE")).toBe(403)
    })

    it("shows no values of calls where the link may not", async () => {
      await open({ signedIn: true })
      const { token } = await linkTo(server.dashboard, { permissions: ["dashboards:read"] })
      await page.goto(`${server.url}/app/share#link=${token}`)
      await region("How calls end").getByText("(hidden)").first().waitFor()
      expect(await region("How calls end").getByText("voicemail").count()).toBe(0)
    })

    it("says so where there is no link, or one that has expired", async () => {
      await open({ signedIn: true })
      await page.goto(`${server.url}/app/share/`)
      await page.getByRole("alert").getByText("This link is invalid").waitFor()
      const { token } = await linkTo(server.dashboard, { expires_at: new Date(Date.now() + 1_500).toISOString() })
      await page.waitForTimeout(1_600)
      await page.goto("about:blank")
      await page.goto(`${server.url}/app/share/#link=${token}`)
      await page.getByRole("alert").getByText("This link is invalid").waitFor()
    })

    it("stands in a frame of an allowed origin with an embedded session, and no other page does", async () => {
      await open({ signedIn: false })
      const { token } = (await server.post("/user/v1/tokens/", {
        kind: "embedded_session",
        bounds: [{ type: "dashboard", id: server.dashboard }]
      })) as { token: string }
      const embedding = await browser.newContext({ viewport: { width: 1000, height: 700 } })
      try {
        const outer = await embedding.newPage()
        const refusals: Array<string> = []
        outer.on("console", (message) => refusals.push(message.text()))
        const frame = async (address: string) => {
          await outer.goto(`${site}/${encodeURIComponent(address)}`)
          return outer.frameLocator("iframe")
        }
        const shared = await frame(`${server.url}/app/share/${server.dashboard}#token=${token}`)
        await shared.getByRole("heading", { name: "Support line" }).waitFor()
        await shared.getByRole("region", { name: "How calls end" }).getByText("voicemail").waitFor()
        expect(refusals).toEqual([])
        await frame(`${server.url}/app/login`)
        for (let left = 50; left > 0 && refusals.length === 0; left--) await outer.waitForTimeout(100)
        expect(refusals.join(" ")).toContain("frame-ancestors 'none'")
      } finally {
        await embedding.close()
      }
    })

    it.each([
      [360, true],
      [2560, false]
    ])("fits in %i pixels (dark: %s)", async (width, dark) => {
      await open({ width, dark, signedIn: false })
      const { token } = await linkTo(server.dashboard)
      await page.goto(`${server.url}/app/share#link=${token}`)
      await region("How calls end").getByText("voicemail").waitFor()
      await expectSoundPage(page, `shared-${width}`)
    })
  })
})
