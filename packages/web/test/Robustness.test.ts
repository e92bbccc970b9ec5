/** What the app does while its server restarts or is busy, when its session ends, and with what was typed. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { browserFixture } from "./support/fixture.js"
import { expectSoundPage } from "./support/page.js"

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Etxt\u202C`

describe("the app", () => {
  // Parts of the app cannot be loaded while the server is stopped.
  const fixture = browserFixture((problem) => problem.includes("Failed to fetch dynamically imported module"))
  const { open } = fixture
  const lost = (page: Page) => page.getByRole("status", { name: "Connection" }).getByText("cannot be reached")

  it("says that its server restarts, keeps what was typed, and saves it afterwards", async () => {
    const page = await open("/profiles")
    await page.getByRole("button", { name: "New test profile" }).click()
    await page.getByLabel("Name").fill("Typed before the restart")
    await fixture.server.stop()
    await page.getByRole("button", { name: "Create" }).click()
    await lost(page).waitFor()
    await page.getByRole("alert").getByText("The server cannot be reached").waitFor()
    await expectSoundPage(page, "server-restarts")
    expect(await page.getByLabel("Name").inputValue()).toBe("Typed before the restart")
    await fixture.server.start()
    // The page notices by itself that the server is back; the session is kept.
    await lost(page).waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("row", { name: /Typed before the restart/ }).waitFor()
    await page.getByRole("button", { name: "Delete Typed before the restart" }).waitFor()
  })

  it("opens the page that was asked for when its server has restarted, also the second time", async () => {
    for (const [name, heading] of [
      ["Settings", "API keys"],
      ["Results", "Results"]
    ] as const) {
      const page = await open("/calls")
      await page.getByRole("table", { name: "Calls" }).waitFor()
      await fixture.server.stop()
      await page.getByRole("link", { name }).click()
      await lost(page).waitFor()
      await fixture.server.start()
      await page.getByRole("button", { name: "Try now" }).click()
      await page.getByRole("heading", { name: heading }).waitFor()
      await lost(page).waitFor({ state: "detached" })
      await expectSoundPage(page, `after-restart-${name}`)
      if (name === "Settings") await fixture.context()?.close()
    }
  })

  it.each([360, 1280])("shows what failed to load as soon as a busy server answers in %i pixels", async (width) => {
    const page = await open("/calls", { width, dark: width === 360 })
    await page.getByRole("table", { name: "Calls" }).waitFor()
    const isBusy = "**/test_framework/v1/results/?*"
    await page.route(isBusy, (route) =>
      route.fulfill({ status: 503, json: { detail: "The database is busy." }, headers: { "retry-after": "60" } })
    )
    await page.route("**/ready", (route) => route.fulfill({ status: 503, json: { status: "unavailable" } }))
    await page.getByRole("link", { name: "Results" }).click()
    const busy = page.getByRole("status", { name: "Connection" }).getByText("starting or busy")
    await busy.waitFor()
    await page.getByRole("alert").getByText("The server is busy. Try again in a moment.").waitFor()
    await expectSoundPage(page, `server-busy-${width}`)
    await page.unroute(isBusy)
    await page.unroute("**/ready")
    await page.getByRole("button", { name: "Try now" }).click()
    await busy.waitFor({ state: "detached" })
    await page.getByRole("alert").waitFor({ state: "detached" })
  })

  it("offers what was typed and not saved after a reload, per form, and forgets it when it is saved", async () => {
    const page = await open("/evaluators/new")
    await page.getByLabel("Name").fill("Not saved")
    await page.getByLabel("Instructions", { exact: true }).fill(HOSTILE)
    await page.reload()
    await page.getByText("What you typed here before was not saved.").waitFor()
    expect(await page.getByLabel("Name").inputValue()).toBe("")
    await expectSoundPage(page, "draft-offered")
    await page.getByRole("button", { name: "Restore it" }).press("Enter")
    expect(await page.getByLabel("Name").inputValue()).toBe("Not saved")
    expect(await page.getByLabel("Instructions", { exact: true }).inputValue()).toBe(HOSTILE)
    // Another form does not offer it.
    await page.goto(`${fixture.server.url}/app/suites`)
    await page.getByRole("button", { name: "Validate" }).waitFor()
    expect(await page.getByText("was not saved").count()).toBe(0)
    await page.goto(`${fixture.server.url}/app/evaluators/new`)
    await page.getByRole("button", { name: "Restore it" }).click()
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("link", { name: "Not saved" }).waitFor()
    await page.goto(`${fixture.server.url}/app/evaluators/new`)
    await page.getByLabel("Name").waitFor()
    expect(await page.getByText("was not saved").count()).toBe(0)
  })

  it("forgets drafts that are discarded, and all of them when the person signs out", async () => {
    const page = await open("/suites")
    const suite = page.getByLabel("Suite as JSON, YAML, or scenarios as CSV")
    await suite.fill("version: 1")
    await page.reload()
    await page.getByRole("button", { name: "Discard it" }).click()
    await page.reload()
    await suite.waitFor()
    expect(await page.getByText("was not saved").count()).toBe(0)
    await suite.fill("version: 2")
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(/\/app\/login/)
    expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes("draft")))).toEqual([])
  })

  it("keeps no secret in the browser", async () => {
    const page = await open("/settings?tab=agents")
    await page.getByRole("button", { name: "New agent" }).click()
    await page.getByLabel("Name").fill("Has a draft")
    await page.getByLabel("Token").fill("secret-of-the-line")
    await page.reload()
    await page.getByRole("button", { name: "New agent" }).click()
    await page.getByRole("button", { name: "Restore it" }).click()
    expect(await page.getByLabel("Name").inputValue()).toBe("Has a draft")
    expect(await page.getByLabel("Token").inputValue()).toBe("")
    const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))
    expect(stored).toContain("Has a draft")
    expect(stored).not.toContain("secret-of-the-line")
    expect(stored).not.toContain(fixture.server.apiKey)
  })

  it("takes how a caller behaves by voice, with each error at its field", async () => {
    const page = await open("/personalities")
    await page.getByRole("button", { name: "New personality" }).click()
    await page.getByLabel("Name").fill("Impatient")
    const part = (name: string) => page.getByRole("checkbox", { name, exact: true })
    await part("Behavior in calls by voice").press("Space")
    await page.getByLabel("Voice", { exact: true }).fill(HOSTILE)
    await page.getByLabel("Pace").fill("9")
    await part("Interrupts the agent").press("Space")
    await page.getByLabel("After words of its turn").fill("5")
    await page.getByLabel("Phrases, one a line").fill("Wait.\nOne moment.")
    await part("Is silent before it answers").press("Space")
    await part("Impaired line").press("Space")
    await page.getByLabel("Share of frames lost").fill("2")
    await page.getByRole("button", { name: "Create" }).click()
    const wrong = page.locator("[aria-invalid=true]")
    await wrong.first().waitFor()
    expect(
      await wrong.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).labels?.[0]?.innerText))
    ).toEqual(["Pace", "Share of frames lost"])
    await expectSoundPage(page, "personality-behavior")
    await page.getByLabel("Pace").fill("1.5")
    await page.getByLabel("Share of frames lost").fill("0.2")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByText(/^By voice: .*pace 1.5, interrupts, silences, impaired line$/).waitFor()
    await expectSoundPage(page, "personality-behaviors")
    const { results } = (await fixture.server.get("/test_framework/v1/personalities/")) as {
      results: ReadonlyArray<{ readonly voice_behavior: unknown }>
    }
    expect(results[0]?.voice_behavior).toMatchObject({
      voice: HOSTILE,
      pace: 1.5,
      interrupts: { after_seconds: null, after_words: 5, phrases: ["Wait.", "One moment."] },
      backchannels: null,
      silences: { seconds: 2, probability: 1 },
      line: { packet_loss: 0.2 }
    })
  })

  it.each([
    [360, true],
    [1280, false]
  ])("shows what is stored of a delivery in %i pixels (dark: %s)", async (width, dark) => {
    const page = await open(`/calls/${fixture.server.callWithTools}`, { width, dark })
    await page.getByText("Delivery", { exact: true }).press("Enter")
    const json = page.locator('pre[aria-label="Delivery"]')
    await json.waitFor()
    await json.scrollIntoViewIfNeeded()
    await expectSoundPage(page, `call-delivery-${width}`)
    await page.getByRole("button", { name: /^Show all/ }).click()
    const { delivery } = (await fixture.server.get(
      `/observability/v1/call-logs/${fixture.server.callWithTools}/?expand=delivery`
    )) as {
      delivery: unknown
    }
    expect(JSON.parse((await json.textContent()) ?? "")).toEqual(delivery)
    expect(await json.textContent()).not.toContain("202 555 0147")
    await page.getByRole("button", { name: "Copy the delivery" }).press("Enter")
    await page.getByText(/^(Copied|Select it instead)$/).waitFor()
  })
})
