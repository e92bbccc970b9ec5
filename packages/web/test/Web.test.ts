/** The app in a browser, page by page, against a server with data. */
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { overflows, screenshot, startBrowser, violations } from "./support/browser.js"
import { startWebServer, type WebServer } from "./support/server.js"

describe("the web app", () => {
  let server: WebServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: Array<string> = []
  const ends: Array<() => Promise<void>> = []

  beforeAll(async () => {
    server = await startWebServer()
    ends.push(server.close)
    browser = await startBrowser()
    ends.unshift(() => browser.close())
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  const open = async (
    options: { readonly width?: number; readonly dark?: boolean; readonly signedIn?: boolean } = {}
  ) => {
    const { dark = false, signedIn = true, width = 1280 } = options
    context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce"
    })
    context.setDefaultTimeout(15_000)
    page = await context.newPage()
    problems = []
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
    page.on("console", (message) => {
      // The browser reports each response with a status of 400 or more; the pages show what it means.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        problems.push(`console: ${message.text()}`)
      }
    })
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url)) problems.push(`request to ${request.url()}`)
    })
    if (signedIn) {
      await context.request.post(`${server.url}/user/v1/session/`, {
        data: { api_key: server.apiKey },
        headers: { origin: server.url }
      })
    }
  }
  beforeEach(() => {
    problems = []
  })
  afterEach(async () => {
    await context.close()
    expect(problems).toEqual([])
  })

  /** What every page has to be: accessible, not wider than its window, escaped. */
  const expectSound = async (name: string) => {
    expect(await violations(page)).toEqual([])
    expect(await overflows(page)).toBe(false)
    expect(await page.evaluate(() => "hacked" in window)).toBe(false)
    await screenshot(page, name)
  }

  describe("signing in", () => {
    it("takes an API key, shows what is wrong with one, and goes on to the page that was asked for", async () => {
      await open({ signedIn: false })
      await page.goto(`${server.url}/app/calls?agent=${server.agent}`)
      await page.waitForURL(/\/app\/login/)
      await expectSound("sign-in")
      await page.getByLabel("API key").fill("ear_wrong")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("alert").getByText("This API key is invalid, expired or revoked.").waitFor()
      await page.getByLabel("API key").fill(server.apiKey)
      await page.keyboard.press("Enter")
      await page.getByRole("table", { name: "Calls" }).waitFor()
      expect(new URL(page.url()).search).toBe(`?agent=${server.agent}`)
    })

    it("takes a link once, and removes its token from the address", async () => {
      await open({ signedIn: false })
      const link = await server.signInLink()
      await page.goto(link)
      await page.getByRole("table", { name: "Calls" }).waitFor()
      expect(page.url()).not.toContain("earsignin_")
      await context.clearCookies()
      await page.goto("about:blank")
      await page.goto(link)
      await page.getByRole("alert").getByText("invalid, expired or already used").waitFor()
    })

    it("does not lead to another host", async () => {
      await open({ signedIn: false })
      await page.goto(`${server.url}/app/login?next=//evil.example/`)
      await page.getByLabel("API key").fill(server.apiKey)
      await page.keyboard.press("Enter")
      await page.getByRole("table", { name: "Calls" }).waitFor()
      expect(page.url().startsWith(`${server.url}/app/calls`)).toBe(true)
    })

    it("ends with signing out", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.waitForURL(/\/app\/login/)
      await page.goto(`${server.url}/app/calls`)
      await page.waitForURL(/\/app\/login/)
    })

    it("is asked for in a dialog when the session ends, and keeps what was typed", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      await page.getByRole("table", { name: "Calls" }).waitFor()
      await page.getByRole("button", { name: "Edit" }).click()
      const typed = '{"field":"topic","op":"eq","value":"typed before"}'
      await page.getByLabel("The same as JSON").fill(typed)
      await context.clearCookies()
      await page.getByText("Your session has ended").waitFor()
      await page.getByLabel("API key").fill(server.apiKey)
      await page.keyboard.press("Enter")
      await page.getByText("Your session has ended").waitFor({ state: "detached" })
      expect(await page.getByLabel("The same as JSON").inputValue()).toBe(typed)
    })

    it("shows a message without JavaScript", async () => {
      const without = await browser.newContext({ javaScriptEnabled: false })
      const plain = await without.newPage()
      await plain.goto(`${server.url}/app/`)
      expect(await plain.locator("body").innerText()).toContain("Earshot needs JavaScript")
      await without.close()
      await open()
    })
  })

  describe("the list of calls", () => {
    it("shows calls newest first, and loads more while it is scrolled", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      const table = page.getByRole("table", { name: "Calls" })
      await table.getByText("call-0149").waitFor()
      await expectSound("calls")
      await table.evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      await page.waitForTimeout(100)
      await table.evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      await table.getByText("call-0000").waitFor()
      // Only what is in view is in the document.
      expect(await table.getByRole("row").count()).toBeLessThan(80)
    })

    it("filters by conditions, whose filter is in the address and in JSON", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      await page.getByRole("button", { name: "Failed" }).click()
      await page.getByRole("button", { name: "success is false" }).waitFor()
      expect(JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "")).toEqual({
        field: "success",
        op: "eq",
        value: false
      })
      await page.getByText("call-0145").waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Edit" }).click()
      const json = page.getByLabel("The same as JSON")
      expect(JSON.parse(await json.inputValue())).toMatchObject({ field: "success" })
      await expectSound("filter")
      await json.fill('{"operator":"not","conditions":[{"field":"metadata.region","op":"eq","value":"us-east"}]}')
      expect(await page.getByLabel("Path").inputValue()).toBe("metadata.region")
      await page.getByRole("button", { name: "Apply" }).click()
      await page.getByRole("button", { name: "not (metadata.region is us-east)" }).waitFor()
      await page.reload()
      await page.getByRole("button", { name: "not (metadata.region is us-east)" }).waitFor()
      await page.goBack()
      await page.getByRole("button", { name: "success is false" }).waitFor()
    })

    it("shows the columns that were chosen, metrics included, and remembers them", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      await page.getByText("call-0149").waitFor()
      await page.getByRole("button", { name: "Columns" }).click()
      await page.getByRole("checkbox", { name: "Latency", exact: true }).check()
      await page.getByRole("checkbox", { name: "Topic", exact: true }).uncheck()
      await page.keyboard.press("Escape")
      await page.reload()
      await page.getByRole("columnheader", { name: "Latency" }).waitFor()
      expect(await page.getByRole("columnheader", { name: "Topic" }).count()).toBe(0)
    })

    it("reviews several calls at once", async () => {
      await open()
      const filter = encodeURIComponent(JSON.stringify({ field: "is_reviewed", op: "eq", value: false }))
      await page.goto(`${server.url}/app/calls?filter=${filter}`)
      await page.getByRole("checkbox", { name: "Select call call-0147" }).check()
      await page.getByRole("checkbox", { name: "Select call call-0144" }).check()
      await page.getByText("2 selected").waitFor()
      await page.getByRole("button", { name: "Mark success" }).click()
      await page.getByText("call-0147").waitFor({ state: "detached" })
      await page.getByText("2 selected").waitFor({ state: "detached" })
    })

    it("says so when nothing matches, and when a filter is wrong", async () => {
      await open()
      const filter = (value: unknown) => encodeURIComponent(JSON.stringify(value))
      await page.goto(`${server.url}/app/calls?filter=${filter({ field: "topic", op: "eq", value: "none such" })}`)
      await page.getByText("No calls match this filter").waitFor()
      await page.goto(`${server.url}/app/calls?filter=${filter({ field: "nonsense", op: "eq", value: 1 })}`)
      await page.getByRole("alert").waitFor()
      await expectSound("calls-invalid-filter")
    })

    it.each([
      [360, false],
      [360, true],
      [2560, true]
    ])("fits in %i pixels (dark: %s)", async (width, dark) => {
      await open({ width, dark })
      await page.goto(`${server.url}/app/calls`)
      await page.getByText("call-0149").waitFor()
      await expectSound(`calls-${width}${dark ? "-dark" : ""}`)
    })

    it("is used with the keyboard alone", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      await page.getByRole("link", { name: "call-0149" }).focus()
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.waitForFunction(() => document.activeElement?.textContent === "call-0147")
      await page.keyboard.press("x")
      await page.getByText("1 selected").waitFor()
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/app\/calls\/\d+/)
    })
  })
})
