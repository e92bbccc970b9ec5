/** The list of calls in a browser: facets, the filter's editor, new calls, and evaluations of several calls. */
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startBrowser } from "./support/browser.js"
import { expectSoundPage, openPage, type OpenOptions } from "./support/page.js"
import { startWebServer, type WebServer } from "./support/server.js"

describe("the list of calls of the web app", () => {
  let server: WebServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: ReadonlyArray<string> = []
  const ends: Array<() => Promise<void>> = []

  beforeAll(async () => {
    server = await startWebServer(60)
    ends.push(server.close)
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

  const table = () => page.getByRole("table", { name: "Calls" })
  const facets = () => page.getByRole("complementary", { name: "Facets" })
  const filterInAddress = (): unknown => JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "null")
  const openList = async (filter?: unknown) => {
    const search = filter === undefined ? "" : `?filter=${encodeURIComponent(JSON.stringify(filter))}`
    await page.goto(`${server.url}/app/calls${search}`)
    await table().getByRole("row").nth(1).waitFor()
  }

  describe("facets", () => {
    it("count values within the filter, add them to it and remove them again, and are remembered", async () => {
      await open()
      await openList()
      await page.getByRole("button", { name: "Facets" }).click()
      const counted = (await server.get("/observability/v1/call-logs/facets/")) as {
        total: number
        facets: ReadonlyArray<{ field: string; values: ReadonlyArray<{ value: unknown; count: number }> }>
      }
      await facets().getByText(`${counted.total} calls`).waitFor()
      const regions = facets().getByRole("region", { name: "metadata.region" })
      const east = regions.getByRole("button", { name: /^us-east/ })
      const count = counted.facets
        .find(({ field }) => field === "metadata.region")
        ?.values.find(({ value }) => value === "us-east")?.count
      expect(await east.innerText()).toContain(String(count))
      // Long values are cut, not their counts.
      const panel = await facets().boundingBox()
      for (const shown of await facets().locator(".number").all()) {
        const box = await shown.boundingBox()
        expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual((panel?.x ?? 0) + (panel?.width ?? 0))
      }
      await expectSoundPage(page, "calls-facets")
      await east.press("Enter")
      await facets().getByText(`${count} calls`).waitFor()
      expect(filterInAddress()).toEqual({ field: "metadata.region", op: "eq", value: "us-east" })
      await page.waitForFunction(
        (rows) => document.querySelector('[aria-label="Calls"]')?.getAttribute("aria-rowcount") === rows,
        String(Number(count) + 1)
      )
      const reviewed = facets().getByRole("region", { name: "reviewed" })
      await reviewed.getByRole("button", { name: /^no/ }).click()
      await page.getByRole("button", { name: "reviewed is false" }).waitFor()
      expect(await east.getAttribute("aria-pressed")).toBe("true")
      await east.click()
      expect(filterInAddress()).toEqual({ field: "is_reviewed", op: "eq", value: false })
      await page.reload()
      await facets()
        .getByText(/ calls$/)
        .waitFor()
    })

    it("that took too long are said, and the list goes on", async () => {
      await open()
      await page.addInitScript(() => {
        localStorage.setItem("earshot.facets", "true")
      })
      await page.route("**/call-logs/facets/**", (route) =>
        route.fulfill({
          json: {
            total: 3,
            facets: [{ field: "topic", values: [{ value: "Billing", count: 3 }], missing: 0, other: 0 }],
            timed_out: ["status", "metadata.region"]
          }
        })
      )
      await openList()
      await facets().getByText("Counting took too long for status, metadata.region.").waitFor()
      await facets()
        .getByRole("button", { name: /^Billing/ })
        .waitFor()
      await page.unroute("**/call-logs/facets/**")
      await page.route("**/call-logs/facets/**", (route) =>
        route.fulfill({ status: 422, json: { detail: "The query took longer than 10 seconds and was ended." } })
      )
      await page.getByRole("button", { name: "Failed" }).click()
      await facets().getByRole("alert").getByText("The query took longer than 10 seconds").waitFor()
      await table().getByRole("row").nth(1).waitFor()
    })

    it.each([
      [360, true],
      [2560, false]
    ])("fit in %i pixels (dark: %s)", async (width, dark) => {
      await open({ width, dark })
      await page.addInitScript(() => {
        localStorage.setItem("earshot.facets", "true")
      })
      await openList()
      await facets().getByRole("region", { name: "metadata.region" }).waitFor()
      await expectSoundPage(page, `calls-facets-${width}`)
    })
  })

  describe("the filter's editor", () => {
    it("builds a nested filter with same_row and a relative time, which the JSON follows and the server takes", async () => {
      await open()
      await openList()
      await page.getByRole("button", { name: "Edit" }).click()
      const dialog = page.getByRole("dialog", { name: "Filter" })
      await dialog.getByRole("button", { name: "Condition", exact: true }).click()
      await dialog.getByLabel("Field", { exact: true }).selectOption("timestamp")
      await dialog.getByLabel("Operator", { exact: true }).selectOption("gte")
      await dialog.getByLabel("Value", { exact: true }).fill("today-29d")
      await dialog.getByRole("button", { name: "Group", exact: true }).click()
      await dialog.getByLabel("Group operator").nth(1).selectOption("same_row")
      const row = dialog.locator(".group .group")
      await row.getByLabel("Field", { exact: true }).selectOption("metric_evaluations.metric.name")
      await row.getByLabel("Value", { exact: true }).fill("Latency")
      await row.getByRole("button", { name: "Condition", exact: true }).click()
      await row.getByLabel("Field", { exact: true }).nth(1).selectOption("metric_evaluations.value")
      await row.getByLabel("Operator", { exact: true }).nth(1).selectOption("gt")
      await row.getByLabel("Value", { exact: true }).nth(1).fill("1.5")
      const built = {
        operator: "and",
        conditions: [
          { field: "timestamp", op: "gte", value: "today-29d" },
          {
            operator: "same_row",
            conditions: [
              { field: "metric_evaluations.metric.name", op: "eq", value: "Latency" },
              { field: "metric_evaluations.value", op: "gt", value: 1.5 }
            ]
          }
        ]
      }
      // What the group began with is replaced; the JSON is what was built.
      expect(JSON.parse(await dialog.getByLabel("The same as JSON").inputValue())).toEqual(built)
      await expectSoundPage(page, "filter-nested")
      await dialog.getByRole("button", { name: "Apply" }).click()
      await table().getByRole("row").nth(1).waitFor()
      expect(filterInAddress()).toEqual(built)
    })

    it("keeps lists and texts that look like numbers as they were typed", async () => {
      await open()
      await openList({ field: "metadata.region", op: "in", value: ["us-east", "2"] })
      await page.getByRole("button", { name: "Edit" }).click()
      const dialog = page.getByRole("dialog", { name: "Filter" })
      const json = dialog.getByLabel("The same as JSON")
      const value = dialog.getByLabel("Value", { exact: true })
      expect(await value.inputValue()).toBe('us-east, "2"')
      await value.press("End")
      await value.pressSequentially(",eu-central,3")
      expect(JSON.parse(await json.inputValue())).toEqual({
        operator: "and",
        conditions: [{ field: "metadata.region", op: "in", value: ["us-east", "2", "eu-central", 3] }]
      })
      await dialog.getByRole("button", { name: "Apply" }).click()
      await table().getByRole("row").nth(1).waitFor()
    })
  })

  it("marks new calls while it is open, and shows them when that is asked for", async () => {
    await open()
    await page.clock.install()
    await page.goto(`${server.url}/app/calls`)
    await page.clock.runFor(1_000)
    await table().getByText("call-0059").waitFor()
    await server.post("/observability/v1/observe/", { call_id: "just-now", agent: server.agent })
    await page.clock.runFor(11_000)
    await page.getByRole("button", { name: "New calls" }).click()
    await table().getByText("just-now").waitFor()
  })

  it("offers every metric as a column, and evaluates selected calls", async () => {
    await open()
    await openList({ field: "call_id", op: "in", value: ["call-0030", "call-0031"] })
    await page.getByRole("button", { name: "Columns" }).click()
    const { results } = (await server.get("/test_framework/v1/metrics/?limit=200")) as {
      results: ReadonlyArray<{ name: string }>
    }
    for (const { name } of results) {
      expect([name, await page.getByRole("checkbox", { name, exact: true }).count()]).not.toEqual([name, 0])
    }
    await page.keyboard.press("Escape")
    const evaluated: Array<string> = []
    page.on("response", (response) => {
      if (response.url().endsWith("/evaluate_metrics/"))
        evaluated.push(`${response.request().method()} ${response.status()}`)
    })
    await page.getByRole("checkbox", { name: "Select all loaded calls" }).check()
    await page.getByRole("button", { name: "Evaluate" }).press("Enter")
    await page.getByText("2 selected").waitFor({ state: "detached" })
    expect(evaluated).toEqual(["POST 200", "POST 200"])
  })
})
