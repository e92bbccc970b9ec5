/** The app in a browser, page by page, against a server with data. */
import { readFileSync } from "node:fs"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startBrowser } from "./support/browser.js"
import { expectSoundPage, openPage, type OpenOptions } from "./support/page.js"
import { startWebServer, type WebServer } from "./support/server.js"

describe("the web app", () => {
  let server: WebServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: ReadonlyArray<string> = []
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

  const expectSound = (name: string) => expectSoundPage(page, name)

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

    it.each(["//evil.example/", "/%09/evil.example/", "/%5Cevil.example/", "javascript:alert(1)"])(
      "does not lead to another host (%s)",
      async (next) => {
        await open({ signedIn: false })
        await page.goto(`${server.url}/app/login?next=${next}`)
        await page.getByLabel("API key").fill(server.apiKey)
        await page.keyboard.press("Enter")
        await page.getByRole("table", { name: "Calls" }).waitFor()
        expect(page.url().startsWith(`${server.url}/app/calls`)).toBe(true)
      }
    )

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
      await page.getByRole("checkbox", { name: "Ended by" }).uncheck()
      await page.keyboard.press("Escape")
      await page.reload()
      await page.getByRole("columnheader", { name: "Latency" }).waitFor()
      expect(await page.getByRole("columnheader", { name: "Ended by" }).count()).toBe(0)
    })

    it("exports every call of the filter with its columns, and keeps views under a name", async () => {
      await open()
      const filter = encodeURIComponent('{"field":"metadata.region","op":"eq","value":"us-east"}')
      await page.goto(`${server.url}/app/calls?filter=${filter}`)
      await page.getByText("call-0146").waitFor()
      await page.getByRole("button", { name: "Columns" }).click()
      await page.getByRole("checkbox", { name: "Topic" }).first().uncheck()
      await page.getByRole("checkbox", { name: "Latency", exact: true }).check()
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "Export" }).click()
      await expectSound("calls-export")
      const download = async (name: string) => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name }).click()])
        return readFileSync(await file.path(), "utf8")
          .trim()
          .split(/\r?\n/)
      }
      const csv = await download("CSV with these columns")
      expect(csv[0]).toBe("id,timestamp,call_id,agent_name,duration_s,status,call_ended_reason,Latency")
      expect(csv.length).toBe(server.usEast + 1)
      await page.getByRole("button", { name: "Export" }).click()
      expect((await download("NDJSON with transcripts")).length).toBe(server.usEast)

      await page.getByRole("button", { name: "Views" }).click()
      await page.getByLabel("Name of the view").fill("East")
      await page.keyboard.press("Enter")
      await page.getByRole("list", { name: "Saved views" }).getByText("East").waitFor()
      await expectSound("calls-views")
      await page.goto(`${server.url}/app/calls`)
      await page.getByText("call-0149").waitFor()
      await page.getByRole("button", { name: "Views" }).press("Enter")
      await page.getByRole("button", { name: "East", exact: true }).press("Enter")
      await page.getByRole("button", { name: "metadata.region is us-east" }).waitFor()
      await page.getByRole("columnheader", { name: "Latency" }).waitFor()
      await page.getByRole("button", { name: "Views" }).click()
      await page.getByRole("button", { name: "Delete the view East" }).click()
      await page.getByText("A view is the filter").waitFor()
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

    it.each([360, 600, 861])("has every entry of the navigation in view in %i pixels", async (width) => {
      await open({ width })
      await page.goto(`${server.url}/app/calls`)
      await page.getByText("call-0149").waitFor()
      const hidden = await page.getByRole("navigation", { name: "Main" }).evaluate((navigation) => {
        const bar = navigation.getBoundingClientRect()
        return [...navigation.querySelectorAll<HTMLElement>("a, button")]
          .filter((entry) => {
            entry.focus()
            const box = entry.getBoundingClientRect()
            const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
            const isInside =
              box.left >= bar.left && box.right <= bar.right && box.top >= bar.top && box.bottom <= bar.bottom
            return (
              !isInside || entry.scrollWidth > entry.clientWidth || !entry.contains(document.elementFromPoint(x, y))
            )
          })
          .map((entry) => entry.innerText)
      })
      expect(hidden).toEqual([])
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

  describe("a call", () => {
    const openCall = async (at: number, search = "") => {
      await page.goto(`${server.url}/app/calls/${server.calls.at(at)}${search}`)
      await page.getByRole("list", { name: "Transcript" }).waitFor()
    }

    it("shows its waveform, and plays from the turn that is clicked", async () => {
      await open()
      await openCall(-1)
      await server.runJobs()
      await page.getByRole("button", { name: "Play" }).waitFor()
      // The length is that of the last turn until the waveform is there.
      await page.getByText("/ 0:08").waitFor()
      await page.getByRole("list", { name: "Transcript" }).getByText("[PERSON_NAME]").waitFor()
      await expectSound("call")
      await page.getByRole("button", { name: "Go to 0:06, turn 3" }).click()
      const slider = page.getByRole("slider", { name: "Position in the call" })
      expect(await slider.getAttribute("aria-valuetext")).toBe("0:06 of 0:08")
      expect(await page.locator("audio").evaluate((audio: HTMLAudioElement) => audio.currentTime)).toBeCloseTo(6.1, 1)
      await page.getByRole("button", { name: "Play" }).click()
      await page.waitForFunction(() => (document.querySelector("audio")?.currentTime ?? 0) > 6.3)
      await page.getByRole("button", { name: "Pause" }).click()
      expect(await page.locator("audio").evaluate((audio: HTMLAudioElement) => audio.paused)).toBe(true)
    })

    it("is reviewed with the keyboard, and leads to the calls beside it within the filter", async () => {
      await open()
      const filter = `?filter=${encodeURIComponent('{"field":"metadata.region","op":"eq","value":"us-east"}')}`
      await openCall(-5, filter)
      await page.getByRole("heading", { name: "call-0146" }).waitFor()
      await page.keyboard.press("f")
      await page.locator(".page-head").getByText("Failure").waitFor()
      await page.keyboard.press("s")
      await page.locator(".page-head").getByText("Success").waitFor()
      await page.getByRole("button", { name: "Older call" }).click()
      await page.getByRole("heading", { name: "call-0144" }).waitFor()
      await page.keyboard.press("[")
      await page.getByRole("heading", { name: "call-0146" }).waitFor()
      await page.getByRole("link", { name: "Back to the calls" }).click()
      await page.getByRole("button", { name: "metadata.region is us-east" }).waitFor()
    })

    it("keeps feedback that could not be saved, and saves it when the server is back", async () => {
      await open()
      await openCall(-5)
      await page.getByLabel("Feedback").fill("The agent repeated the question.")
      await page.route("**/observability/v1/call-logs/*/", (route) =>
        route.request().method() === "PATCH" ? route.abort() : route.continue()
      )
      await page.getByRole("button", { name: "Save feedback" }).click()
      await page.getByRole("alert").getByText("The server cannot be reached").waitFor()
      expect(await page.getByLabel("Feedback").inputValue()).toBe("The agent repeated the question.")
      await page.unroute("**/observability/v1/call-logs/*/")
      await page.getByRole("button", { name: "Save feedback" }).click()
      await page.getByRole("button", { name: "Save feedback" }).waitFor({ state: "detached" })
      await page.reload()
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "The agent repeated the question.")
    })

    it.each([
      [360, true],
      [1280, false]
    ])("shows tool calls and the stages of answers in the transcript in %i pixels (dark: %s)", async (width, dark) => {
      await open({ width, dark })
      await page.goto(`${server.url}/app/calls/${server.callWithTools}`)
      const transcript = page.getByRole("list", { name: "Transcript" })
      await transcript.getByText("Room 12 is free.").waitFor()
      const rows = transcript.locator(":scope > li")
      expect(await rows.evaluateAll((all) => all.map(({ classList }) => classList[1]))).toEqual([
        "caller",
        "tool",
        "tool",
        "agent",
        "caller"
      ])
      const first = rows.nth(1)
      expect(await first.getByText("800 ms").isVisible()).toBe(true)
      const sent = first.getByLabel("Arguments of tool call 1")
      expect(await sent.innerText()).toBe('{"phone":"[PHONE_NUMBER]","day":"Thursday"}')
      expect(await sent.locator(".redacted").innerText()).toBe("[PHONE_NUMBER]")
      const report = await page.getByRole("table", { name: "Redacted" }).locator("tbody tr").allInnerTexts()
      expect(report.map((row) => row.split("\t").slice(0, 2).join(", "))).toContain("Phone number, Tool calls")
      expect(await first.getByLabel("Result of tool call 1").innerText()).toBe("room 12")
      const stages = transcript.getByLabel("Stages of turn 2")
      expect((await stages.innerText()).split(/\s*\n\s*/).join(" ")).toBe(
        "Speech to text 120 ms First token 640 ms Text to speech 90 ms End to end 2,150 ms"
      )
      expect(
        await page.locator(".region.tool").evaluateAll((all) => all.map((mark) => (mark as HTMLElement).title))
      ).toEqual(["Tool call find_room, 0:05", expect.stringMatching(/^Tool call <img .*, 0:05$/)])
      await expectSound(`call-tools-${width}`)
      // Long arguments are closed at first, cut when they are opened, and whole when that is asked for.
      const second = rows.nth(2)
      const long = second.getByLabel("Arguments of tool call 2")
      expect(await long.isVisible()).toBe(false)
      await second.getByText("Arguments", { exact: true }).click()
      expect((await long.innerText()).length).toBe(6_000)
      await second.getByRole("button", { name: /^Show all/ }).click()
      const { tool_calls } = (await server.get(
        `/observability/v1/call-logs/${server.callWithTools}/?expand=tool_calls`
      )) as { tool_calls: ReadonlyArray<{ arguments: string }> }
      expect(await long.textContent()).toBe(tool_calls[1]?.arguments)
      expect(await second.getByText("No result").isVisible()).toBe(true)
      await expectSound(`call-tools-open-${width}`)
      await first.getByRole("button", { name: "Go to 0:05, tool call 1" }).press("Enter")
      expect(await page.getByRole("slider", { name: "Position in the call" }).getAttribute("aria-valuetext")).toMatch(
        /^0:05 of/
      )
    })

    it("shows text of others as text, without breaking the page", async () => {
      await open({ width: 360 })
      await openCall(-3)
      await page.getByText("onerror").first().waitFor()
      await expectSound("call-hostile-360")
    })

    it.each([360, 1280])("shows a megabyte of text within the page, in %i pixels", async (width) => {
      const hostile = `<img src=x onerror="window.hacked=1">\u202Etxt \u2066 ${"x".repeat(60)} `
      const long = hostile.repeat(Math.ceil(1_000_000 / hostile.length))
      const other = long.slice(0, 400_000)
      const { id } = (await server.post("/observability/v1/observe/", {
        call_id: `long-${width}`,
        agent: server.agent,
        transcript_type: "provider_a",
        transcript_json: [
          { role: "user", message: long, secondsFromStart: 1 },
          {
            role: "tool_calls",
            secondsFromStart: 5,
            toolCalls: [{ id: "1", function: { name: "find_room", arguments: JSON.stringify({ other }) } }]
          },
          { role: "tool_call_result", toolCallId: "1", name: "find_room", result: other, secondsFromStart: 6 },
          { role: "bot", message: "x".repeat(100_000), secondsFromStart: 7 }
        ],
        metadata: { long }
      })) as { id: number }
      await open({ width })
      await page.goto(`${server.url}/app/calls/${id}`)
      await page.getByText("onerror").first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false)
      expect(await page.evaluate(() => "hacked" in window)).toBe(false)
      // The page still answers: its tabs and buttons do what they say.
      await page.keyboard.press("j")
      await page.getByRole("link", { name: "Calls" }).first().click()
      await page.getByRole("link", { name: `long-${width}` }).waitFor()
      await server.delete(`/observability/v1/call-logs/${id}/`)
    })

    it("shows values of metrics as the API has them", async () => {
      await open()
      await openCall(-5)
      const evaluations = (await server.get(
        `/observability/v1/call-logs/${server.calls.at(-5)}/evaluations/`
      )) as Array<{
        metric_name: string
        status: string
        better: "higher" | "lower" | null
        value: number | boolean | string
      }>
      const latency = evaluations.find(({ metric_name }) => metric_name === "Latency")
      const shown = page.getByRole("button", { name: /^Latency / }).first()
      expect(await shown.innerText()).toContain(Number(latency?.value).toLocaleString("en-US"))
      const silence = evaluations.find(({ metric_name }) => metric_name === "Silence detection")
      const outcome = silence?.value === (silence?.better === "higher") ? "Passed" : "Failed"
      await page.getByRole("button", { name: `Silence detection ${outcome}` }).waitFor()
    })

    it("says that it does not exist", async () => {
      await open()
      await page.goto(`${server.url}/app/calls/999999`)
      await page.getByRole("alert").getByText("This does not exist").waitFor()
    })
  })

  describe("dashboards", () => {
    it("show every kind of chart with the numbers of the API, and lead to the calls behind them", async () => {
      await open()
      await page.goto(`${server.url}/app/dashboards`)
      await expectSound("dashboards")
      await page.getByRole("link", { name: "Support line" }).click()
      const stat = page.getByRole("region", { name: "At a glance" })
      await stat.getByText("Success rate").waitFor()
      const { widgets } = (await server.get(`/dashboards/dashboards/${server.dashboard}/`)) as {
        widgets: Array<{ id: number; name: string }>
      }
      const dataOf = async (name: string) =>
        server.get(`/dashboards/widgets/${widgets.find((one) => one.name === name)?.id}/data/`)
      const numbers = (await dataOf("At a glance")) as { total_calls: number; success_rate: number }
      expect(await stat.innerText()).toContain(String(numbers.total_calls))
      expect(await stat.innerText()).toContain(`${(numbers.success_rate * 100).toFixed(1).replace(/\.0$/, "")} %`)
      await page.getByRole("region", { name: "Calls a day" }).locator("canvas").waitFor()
      await expectSound("dashboard")
      const pie = (await dataOf("How calls end")) as { series: [{ points: Array<{ label: string; value: number }> }] }
      const voicemail = pie.series[0].points.find(({ label }) => label === "voicemail")
      const slice = page.getByRole("region", { name: "How calls end" }).getByRole("button", { name: /^voicemail/ })
      expect(await slice.innerText()).toContain(String(voicemail?.value))
      await slice.click()
      await page.getByRole("button", { name: "ended reason is voicemail" }).waitFor()
      await page.getByRole("table", { name: "Calls" }).waitFor()
      expect(await page.getByRole("table", { name: "Calls" }).getAttribute("aria-rowcount")).toBe(
        String(Number(voicemail?.value) + 1)
      )
    })

    it("are read in one request, and widget by widget where all together take too long", async () => {
      await open()
      const requested: Array<string> = []
      page.on("request", (request) => {
        const path = new URL(request.url()).pathname
        if (path.endsWith("/data/")) requested.push(path.replace(/\d+/, "ID"))
      })
      await page.goto(`${server.url}/app/dashboards/${server.dashboard}`)
      await page.getByRole("region", { name: "How calls end" }).getByText("voicemail").waitFor()
      expect(requested).toEqual(["/dashboards/dashboards/ID/data/"])
      const { widgets } = (await server.get(`/dashboards/dashboards/${server.dashboard}/`)) as {
        widgets: Array<{ id: number; name: string }>
      }
      const slow = widgets.find(({ name }) => name === "At a glance")?.id
      const tooLong = JSON.stringify({ detail: "The query took longer than 30 seconds." })
      await page.route(/dashboards\/dashboards\/\d+\/data/, (route) =>
        route.fulfill({ status: 422, contentType: "application/json", body: tooLong })
      )
      await page.route(new RegExp(`widgets/${slow}/data`), (route) =>
        route.fulfill({ status: 422, contentType: "application/json", body: tooLong })
      )
      await page.reload()
      await page.getByRole("alert").getByText("The query took longer than 30 seconds.").waitFor()
      await page.getByRole("region", { name: "How calls end" }).getByText("voicemail").waitFor()
      await page.unrouteAll()
    })

    it("open the calls of a period from its value", async () => {
      await open()
      await page.goto(`${server.url}/app/dashboards/${server.dashboard}`)
      const bars = page.getByRole("region", { name: "Calls a day" })
      await bars.getByText("Data", { exact: true }).click()
      const value = bars.getByRole("row").nth(3).getByRole("button")
      const count = Number(await value.innerText())
      await value.click()
      await page.getByRole("table", { name: "Calls" }).waitFor()
      expect(await page.getByRole("table", { name: "Calls" }).getAttribute("aria-rowcount")).toBe(String(count + 1))
    })

    it("are created, and get widgets with a preview and the messages of the rules at their fields", async () => {
      await open()
      await page.goto(`${server.url}/app/dashboards`)
      await page.getByRole("button", { name: "New dashboard" }).click()
      await page.getByLabel("Name").fill("Weekly review")
      await page.getByRole("button", { name: "Create" }).click()
      await page.getByRole("heading", { name: "Weekly review" }).waitFor()
      await page.getByRole("button", { name: "Widget" }).click()
      await page.getByLabel("Name").fill("Regions")
      await page.getByLabel("Chart").selectOption("pie")
      await page.getByLabel("Field", { exact: true }).fill("nonsense")
      await page.getByRole("dialog").getByRole("alert").first().waitFor()
      await page.getByLabel("Field", { exact: true }).fill("metadata.region")
      await page.getByRole("region", { name: "Preview" }).getByText("us-east").waitFor()
      await expectSound("widget-editor")
      await page.getByRole("button", { name: "Save" }).click()
      const widget = page.getByRole("region", { name: "Regions" })
      await widget.getByText("us-east").waitFor()
      await page.getByRole("button", { name: "Actions of Regions" }).click()
      await page.getByRole("button", { name: "Wider" }).click()
      await page.waitForFunction(() =>
        document.querySelector<HTMLElement>(".widget")?.style.gridColumn.includes("span 7")
      )
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "Last 7 days" }).click()
      await widget.getByText("time at least today-7d").waitFor()
    })

    it.each([360, 2560])("draw whole labels, with the unit of the values, in %i pixels", async (width) => {
      await open({ width })
      // A canvas has no elements: what is drawn is read where it is drawn.
      await page.addInitScript(() => {
        const context: {
          fillText: (this: CanvasRenderingContext2D, text: string, x: number, y: number) => void
        } = CanvasRenderingContext2D.prototype
        const { fillText } = context
        context.fillText = function (text, x, y) {
          const measured = this.measureText(text)
          const matrix = this.getTransform()
          const at = (offset: number) => matrix.transformPoint({ x: x + offset, y }).x
          const [left, right] = [at(-measured.actualBoundingBoxLeft), at(measured.actualBoundingBoxRight)]
          const labels = JSON.parse(this.canvas.dataset.labels ?? "[]") as Array<unknown>
          const isWhole = left >= 0 && right <= this.canvas.width
          this.canvas.dataset.labels = JSON.stringify([...labels, { text, isWhole }])
          fillText.call(this, text, x, y)
        }
      })
      await page.goto(`${server.url}/app/dashboards/${server.dashboard}`)
      for (const [name, unit] of [
        ["Length of calls", /^\d+ s$/],
        ["Calls a day", /^\d+$/]
      ] as const) {
        const canvas = page.getByRole("region", { name }).locator("canvas[data-labels]")
        const labels = JSON.parse((await canvas.getAttribute("data-labels")) ?? "") as Array<{
          text: string
          isWhole: boolean
        }>
        expect(labels.filter(({ isWhole }) => !isWhole)).toEqual([])
        expect(labels.filter(({ text }) => unit.test(text)).length).toBeGreaterThan(1)
      }
    })

    it.each([
      [360, true],
      [2560, false]
    ])("fit in %i pixels (dark: %s)", async (width, dark) => {
      await open({ width, dark })
      await page.goto(`${server.url}/app/dashboards/${server.dashboard}`)
      await page.getByRole("region", { name: "How calls end" }).getByText("voicemail").waitFor()
      await expectSound(`dashboard-${width}${dark ? "-dark" : ""}`)
    })
  })

  describe("suites", () => {
    const suite = (scenario: Readonly<Record<string, unknown>>) =>
      JSON.stringify(
        {
          version: "1",
          suite: { name: "Front desk" },
          scenarios: [{ key: "move", name: "Moves a stay", type: "instruction", instructions: "Move it.", ...scenario }]
        },
        null,
        2
      )
    const text = () => page.getByLabel("Suite as JSON, YAML, or scenarios as CSV")

    it("are read from a file, show each error at its place, are planned with a price, and run", async () => {
      await open()
      await page.goto(`${server.url}/app/calls`)
      await page.getByRole("link", { name: "Suites" }).click()
      await page.getByLabel("File").setInputFiles({
        name: "suite.json",
        mimeType: "application/json",
        buffer: Buffer.from(suite({ frequency: 0, type: "nonsense" }))
      })
      await page.getByRole("button", { name: "Validate" }).click()
      const errors = page.getByRole("alert", { name: /^\d+ errors?$/ })
      await errors.getByText("scenarios[0].frequency").waitFor()
      await expectSound("suite-errors")
      await errors.getByRole("button", { name: "Line 12, column 20" }).press("Enter")
      const caret = await text().evaluate((area: HTMLTextAreaElement) => area.value[area.selectionStart])
      expect(caret).toBe("0")
      await text().fill(suite({ frequency: 2 }))
      await errors.waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Validate" }).press("Enter")
      await page.getByRole("heading", { name: "Plan of Front desk" }).waitFor()
      const { plan } = (await server.post("/test_framework/v2/scenarios/validate_scenarios_json/", {
        spec: suite({ frequency: 2 }),
        agent_id: server.agent,
        channel: "text"
      })) as { plan: { estimated_cost: string } }
      await expectSound("suite-plan")
      await page.getByRole("button", { name: `Run for ${plan.estimated_cost} credits` }).press("Enter")
      await page.waitForURL(/\/app\/results\/\d+$/)
      await page.getByRole("link", { name: "Moves a stay" }).first().waitFor()
    })

    it("keep what was typed while the server is busy and when the session ends", async () => {
      await open()
      await page.goto(`${server.url}/app/suites`)
      const typed = suite({})
      await text().fill(typed)
      await page.route("**/validate_scenarios_json/", (route) => route.abort())
      await page.getByRole("button", { name: "Validate" }).click()
      await page.getByRole("alert").getByText("The server cannot be reached").waitFor()
      expect(await text().inputValue()).toBe(typed)
      await page.unroute("**/validate_scenarios_json/")
      await context.clearCookies()
      await page.getByRole("button", { name: "Validate" }).click()
      await page.getByRole("heading", { name: "Your session has ended" }).waitFor()
      await page.getByLabel("API key").fill(server.apiKey)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Your session has ended" }).waitFor({ state: "detached" })
      expect(await text().inputValue()).toBe(typed)
      await page.getByRole("button", { name: "Validate" }).click()
      await page.getByRole("heading", { name: "Plan of Front desk" }).waitFor()
    })

    it.each([
      [360, true],
      [2560, false]
    ])("show text of others as text in %i pixels (dark: %s)", async (width, dark) => {
      await open({ width, dark })
      await page.goto(`${server.url}/app/suites`)
      const hostile = `<img src=x onerror="window.hacked=1">\u202Etxt${"x".repeat(30)}`
      await text().fill(suite({ name: hostile, [hostile]: 1 }))
      await page.getByRole("button", { name: "Validate" }).click()
      await page
        .getByRole("alert", { name: /^\d+ errors?$/ })
        .getByText("onerror")
        .first()
        .waitFor()
      await expectSound(`suite-errors-${width}`)
      await text().fill(suite({ name: hostile }))
      await page.getByRole("button", { name: "Validate" }).click()
      await page.getByRole("heading", { name: "Plan of Front desk" }).waitFor()
      await expectSound(`suite-plan-${width}`)
    })
  })

  describe("results", () => {
    it("show the runs of a result, one run, and the comparison of two results", async () => {
      await open()
      const run = async (name: string) =>
        (await server.post("/test_framework/v2/scenarios/run_scenarios_json/", {
          agent_id: server.agent,
          name,
          spec: {
            version: "1",
            suite: { name },
            scenarios: [
              { key: "move", name: "Moves an appointment", type: "instruction", instructions: "Move it.", frequency: 2 }
            ]
          }
        })) as { id: number }
      await run("Before")
      await run("After")
      await page.goto(`${server.url}/app/results`)
      await page.getByRole("link", { name: "After" }).waitFor()
      await expectSound("results")
      await page.getByRole("checkbox", { name: /^Compare Before/ }).check()
      await page.getByRole("checkbox", { name: /^Compare After/ }).check()
      await page.getByRole("button", { name: "Compare (2 of 2)" }).click()
      await page.getByRole("heading", { name: "Scenarios, regressions first" }).waitFor()
      await expectSound("comparison")
      await page.getByRole("link", { name: "Back to the results" }).click()
      await page.getByRole("link", { name: "After" }).click()
      await page.getByRole("heading", { name: "Runs" }).waitFor()
      await page.getByRole("link", { name: "Moves an appointment" }).first().waitFor()
      await expectSound("result")
      await page.getByRole("link", { name: "Moves an appointment" }).first().click()
      await page.getByRole("heading", { name: "Success criteria" }).waitFor()
      await expectSound("run")
    })
  })
})
