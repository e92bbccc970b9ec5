/** The pages of settings in a browser, against a fixture.server. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { browserFixture } from "./support/fixture.js"
import { expectSoundPage, type OpenOptions } from "./support/page.js"

const HOSTILE = `<img src=x onerror="window.hacked=1">\u202Etxt ${"x".repeat(30)}`

describe("the settings", () => {
  const fixture = browserFixture()

  const open = async (tab: string, options: OpenOptions = {}): Promise<Page> => {
    const page = await fixture.open(`/settings?tab=${tab}`, options)
    page.on("dialog", (dialog) => void dialog.accept())
    return page
  }
  /** What a region shows under a name, to be copied. */
  const shown = async (page: Page, name: string) => (await page.locator(`pre[aria-label="${name}"]`).innerText()).trim()
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name })

  it.each([
    ["agents", 360, false],
    ["metrics", 360, true],
    ["links", 360, false],
    ["integrations", 360, true],
    ["connections", 360, false],
    ["jobs", 360, true],
    ["credits", 360, false],
    ["integrations", 2560, false],
    ["credits", 1280, true]
  ])("show %s in %i pixels (dark: %s)", async (tab, width, dark) => {
    const page = await open(tab, { width, dark })
    await page.locator(".card").first().waitFor()
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
    await expectSoundPage(page, `settings-${tab}-${width}`)
  })

  it("create an API key of chosen permissions that is shown once, and revoke it", async () => {
    const page = await open("keys")
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByLabel("Name").fill("Webhook")
    await page.getByRole("radio", { name: "Chosen permissions" }).check()
    expect(await page.getByRole("button", { name: "Create" }).isDisabled()).toBe(true)
    await page.getByRole("checkbox", { name: "calls:write" }).check()
    await page.getByRole("checkbox", { name: "credits:read" }).check()
    await page.getByLabel("Expires").selectOption("In 7 days")
    await expectSoundPage(page, "settings-key")
    await page.getByRole("button", { name: "Create" }).click()
    const key = await shown(page, "API key")
    expect(key).toMatch(/^ear_/)
    await page.getByRole("button", { name: "Done" }).click()
    await row(page, `ear_...${key.slice(-4)}`)
      .getByText("calls:write, credits:read")
      .waitFor()
    await expectSoundPage(page, "settings-keys")
    const asked = await fetch(`${fixture.server.url}/credits/ledger/`, { headers: { "x-service-api-key": key } })
    expect(asked.status).toBe(200)
    await page.getByRole("button", { name: "Revoke Webhook" }).click()
    await page.getByText("Revoked").waitFor()
    expect(
      (await fetch(`${fixture.server.url}/credits/ledger/`, { headers: { "x-service-api-key": key } })).status
    ).toBe(401)
  })

  it("create a link to one dashboard with its actions, show it once, and revoke it", async () => {
    const page = await open("links")
    await page.getByText("No links yet").waitFor()
    await page.getByRole("button", { name: "New link" }).press("Enter")
    await page.getByLabel("Name").fill(HOSTILE)
    await page.getByRole("checkbox", { name: "Change the dashboard and its widgets" }).check()
    await page.getByLabel("Expires").selectOption("In a day")
    await expectSoundPage(page, "settings-link")
    await page.keyboard.press("Enter")
    const address = await shown(page, "Address")
    const [at, token = ""] = address.split("#link=")
    expect(at).toBe(`${fixture.server.url}/app/share/${fixture.server.dashboard}`)
    await expectSoundPage(page, "settings-link-issued")
    const asLink = (method: string, path: string) =>
      fetch(`${fixture.server.url}${path}`, { method, headers: { "x-shareable-link": token } })
    expect((await asLink("GET", `/dashboards/dashboards/${fixture.server.dashboard}/`)).status).toBe(200)
    // Neither other things of the organization, nor what was not granted.
    expect((await asLink("GET", "/user/v1/api_keys/")).status).toBe(401)
    expect((await asLink("DELETE", `/dashboards/dashboards/${fixture.server.dashboard}/`)).status).toBe(403)
    await page.getByRole("button", { name: "Done" }).click()
    await row(page, "onerror").getByRole("link", { name: "Support line" }).waitFor()
    await expectSoundPage(page, "settings-links")
    await page.reload()
    await row(page, "onerror").waitFor()
    expect(await page.locator("body").innerText()).not.toContain(token)
    await page.getByRole("button", { name: "Revoke" }).click()
    await page.getByText("Revoked").waitFor()
    expect((await asLink("GET", `/dashboards/dashboards/${fixture.server.dashboard}/`)).status).toBe(401)
  })

  it("create an integration with its URL and secret, which then takes signed calls, change and delete it", async () => {
    const page = await open("integrations")
    await page.getByRole("button", { name: "New integration" }).click()
    // A platform that makes the secret needs it.
    await page.getByLabel("Platform").selectOption("Retell")
    expect(await page.getByRole("button", { name: "Create" }).isDisabled()).toBe(true)
    await page.getByLabel("Secret").fill("short")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByText("at least 8 characters").waitFor()
    await page.getByLabel("Platform").selectOption("Vapi")
    await page.getByLabel("Secret").fill("")
    await page.getByLabel("Name", { exact: true }).fill("Front desk line")
    await page.getByRole("dialog").getByLabel("Agent").selectOption({ index: 1 })
    await page.getByRole("checkbox", { name: "Phone number" }).check()
    await page.getByRole("checkbox", { name: "Latency", exact: true }).check()
    await expectSoundPage(page, "settings-integration")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("heading", { name: "Set up Vapi" }).waitFor()
    const [url, secret] = [await shown(page, "URL"), await shown(page, "Secret")]
    await expectSoundPage(page, "settings-integration-setup")
    const deliver = (withSecret: string) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "x-vapi-secret": withSecret },
        body: JSON.stringify({
          message: {
            type: "end-of-call-report",
            call: { id: "vapi-of-the-app" },
            artifact: { messages: [{ role: "user", message: "Call 202 555 0147.", secondsFromStart: 1 }] }
          }
        })
      })
    expect((await deliver(secret)).status).toBe(200)
    expect((await deliver(`${secret}x`)).status).toBe(401)
    const listed = JSON.stringify(await fixture.server.get("/observability/v1/call-logs/?expand=transcript&limit=1"))
    expect(listed).toContain("[PHONE_NUMBER]")
    await page.getByRole("button", { name: "Done" }).click()
    const line = row(page, "Front desk line")
    await line.getByText("1 chosen").waitFor()
    expect(await page.locator("body").innerText()).not.toContain(secret)
    await line.getByRole("button", { name: "Copy the URL of Front desk line" }).click()
    await line.getByText(/^(Copied|Select it instead)$/).waitFor()
    await expectSoundPage(page, "settings-integrations")

    await line.getByRole("button", { name: "Edit Front desk line" }).click()
    await page.getByLabel("Name", { exact: true }).fill("Night line")
    await page.getByRole("checkbox", { name: "Money" }).check()
    await page.getByRole("button", { name: "Save" }).click()
    await row(page, "Night line").getByText("Phone number, Money").waitFor()
    await page.getByRole("button", { name: "Replace secret of Night line" }).click()
    await page.getByLabel("The old secret stays valid").selectOption("Not at all")
    await page.getByRole("button", { name: "Replace", exact: true }).click()
    const next = await shown(page, "Secret")
    expect(next).not.toBe(secret)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("button", { name: "Delete Night line" }).click()
    await page.getByText("No integrations yet").waitFor()
    expect((await deliver(next)).status).toBe(401)
  })

  it("connect a code host, show what its check finds, and revoke it", async () => {
    const page = await open("connections")
    await page.getByText("No code connections yet").waitFor()
    await page.getByRole("button", { name: "New connection" }).click()
    await page.getByLabel("Name").fill("Harbor")
    await page.getByLabel("App id").fill("12345")
    await page.getByLabel("Installation id").fill("not a number")
    await page.getByLabel("Owner").fill("harbor-dental")
    await page.getByLabel("Private key").fill("not a key")
    await page.getByRole("button", { name: "Create" }).click()
    // Both errors are at their fields.
    const wrong = page.locator("[aria-invalid=true]")
    await wrong.first().waitFor()
    expect(
      await wrong.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).labels?.[0]?.innerText))
    ).toEqual(["Installation id", "Private key"])
    await expectSoundPage(page, "settings-connection")
    // What was typed for a secret does not go to another kind of host.
    await page.getByLabel("Code host").selectOption("GitLab")
    expect(await page.getByLabel("Access token").inputValue()).toBe("")
    await page.getByLabel("Namespace").fill("harbor/dental")
    await page.getByLabel("Address of the API").fill("https://gitlab.invalid")
    await page.getByLabel("Access token").fill("glpat-of-a-test")
    await page.getByRole("button", { name: "Create" }).click()
    const line = row(page, "Harbor")
    await line.getByText("Inactive").waitFor()
    await page.getByRole("button", { name: "Check Harbor" }).click()
    await line.locator(".field-error").waitFor()
    await expectSoundPage(page, "settings-connections")
    expect(await page.locator("body").innerText()).not.toContain("glpat-of-a-test")
    await page.getByRole("button", { name: "Revoke Harbor" }).click()
    await line.getByText("Revoked").waitFor()
  })

  it("turn a metric off for calls, change its prompt, and save a simplified one after a look at the changes", async () => {
    const prompt = [
      "You are an expert. Please make sure that you carefully check the transcript.",
      "Did the agent ask for a date? Did the agent ask for a date?",
      `${HOSTILE} is no name.`,
      "Answer yes or no."
    ].join("\n")
    await fixture.server.post("/test_framework/v1/metrics/", {
      agent: fixture.server.agent,
      name: "Asks for a date",
      type: "llm_judge",
      eval_type: "binary",
      prompt
    })
    const page = await open("metrics")
    const box = page.getByRole("checkbox", { name: "Latency for calls", exact: true })
    // It follows the server, not the click.
    await box.click()
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[aria-label="Latency for calls"]')?.checked === false
    )
    await page.reload()
    await box.waitFor()
    expect(await box.isChecked()).toBe(false)

    await page.getByRole("button", { name: "Edit Asks for a date" }).click()
    await page.getByLabel("Description").fill("Whether a date is asked for.")
    await expectSoundPage(page, "settings-metric")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Whether a date is asked for.").waitFor()
    await page.getByRole("button", { name: "Simplify the prompt of Asks for a date" }).click()
    await page.getByRole("button", { name: "Simplify", exact: true }).press("Enter")
    await page.getByText("The prompt is being simplified").waitFor()
    await fixture.server.runJobs()
    const diff = page.getByRole("list", { name: "Changes of the prompt" })
    await diff.waitFor()
    await expectSoundPage(page, "settings-simplify")
    const lines = await diff
      .getByRole("listitem")
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute("class") ?? "", one.querySelector(".plain")?.textContent ?? ""] as const)
      )
    const of = (kind: string) => lines.filter(([name]) => name === "same" || name === kind).map(([, text]) => text)
    expect(of("removed").join("\n")).toBe(prompt)
    const after = of("added").join("\n")
    expect(after.length).toBeLessThan(prompt.length)
    await page.getByRole("button", { name: "Accept and save" }).press("Enter")
    await diff.waitFor({ state: "detached" })
    const { results } = (await fixture.server.get(
      `/test_framework/v1/metrics/?agent_id=${fixture.server.agent}&limit=200`
    )) as {
      results: ReadonlyArray<{ readonly name: string; readonly prompt: string }>
    }
    expect(results.find(({ name }) => name === "Asks for a date")?.prompt).toBe(after)
  })

  it("show dead jobs with their error, and retry one", async () => {
    const page = await open("agents")
    const job = {
      id: 7,
      organization: 1,
      kind: "evaluate_call",
      key: null,
      state: "dead",
      attempts: 5,
      max_attempts: 5,
      last_error: `${HOSTILE} ${"The model did not answer. ".repeat(40)}`,
      due_at: null,
      created_at: "2026-03-01T10:00:00Z",
      updated_at: "2026-03-01T10:00:00Z"
    }
    // No job of this server fails for good.
    let isDead = true
    await page.route("**/jobs/?*", (route) =>
      route.fulfill({ json: { next: null, previous: null, results: isDead ? [job] : [] } })
    )
    await page.route("**/jobs/7/retry/", (route) => {
      isDead = false
      return route.fulfill({ json: { ...job, state: "queued" } })
    })
    await page.goto(`${fixture.server.url}/app/settings?tab=jobs`)
    await page.getByText("5 of 5").waitFor()
    await expectSoundPage(page, "settings-jobs")
    await page.getByRole("button", { name: "Retry job 7" }).press("Enter")
    await page.getByText("No dead jobs").waitFor()
  })

  it("sum up the charges of a filter as the API does", async () => {
    const page = await open("credits")
    const totals = (await fixture.server.get("/credits/totals/")) as { amount: string; entries: number }
    const stats = page.locator(".stats")
    await stats.getByText(String(totals.entries), { exact: true }).waitFor()
    expect(await stats.innerText()).toContain(totals.amount.replace(/\.?0+$/, ""))
    await page.getByLabel("Reason").selectOption("Metric evaluation")
    await page.getByText("No charges").waitFor()
    expect(await stats.innerText()).toMatch(/Credits\s+0\b/)
    await page.getByLabel("Reason").selectOption("Redaction")
    await page.getByRole("region", { name: "Charges" }).waitFor()
    const day = (after: number) => new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10)
    await page.getByLabel("From (UTC)").fill(day(-1))
    await page.getByLabel("To (UTC)").fill(day(1))
    await page.getByRole("region", { name: "Charges" }).waitFor()
    await expectSoundPage(page, "settings-credits")
    await page.getByLabel("From (UTC)").fill("2001-01-02")
    await page.getByLabel("To (UTC)").fill("2001-01-01")
    await page.getByRole("alert").getByText("Enter a day that is not before the first.").waitFor()
    await page.getByLabel("To (UTC)").fill("2001-01-02")
    await page.getByText("No charges").waitFor()
  })

  it("create an agent with endpoints, keep its secrets, and check its voice endpoint", async () => {
    const page = await open("agents")
    await page.getByRole("button", { name: "New agent" }).click()
    await page.getByLabel("Name").fill("Night desk")
    await page.getByLabel("Chat URL").fill("ftp://agent.example/chat")
    await page.getByLabel("Voice URL").fill("ws://127.0.0.1:9/media")
    await page.getByLabel("Token").fill("token of the connection")
    await page.getByRole("button", { name: "Header", exact: true }).first().click()
    await page.getByLabel("Header 1", { exact: true }).fill("Authorization")
    await page.getByLabel("Value 1").fill("Bearer of-the-night-desk")
    await page.getByRole("button", { name: "Create" }).click()
    // The error is at its field, and what was typed is kept.
    await page.getByText("Enter a URL that starts with https:// or http://.").waitFor()
    expect(await page.getByLabel("Value 1").inputValue()).toBe("Bearer of-the-night-desk")
    await page.getByLabel("Chat URL").fill("https://agent.example/chat")
    await expectSoundPage(page, "settings-agent")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByText("https://agent.example/chat").waitFor()

    const edit = page.getByRole("button", { name: "Edit Night desk" })
    await edit.click()
    expect(await page.getByLabel("Value 1").inputValue()).toBe("********")
    expect(await page.getByLabel("Token").inputValue()).toBe("********")
    await page.getByLabel("Chat URL").fill("https://elsewhere.example/chat")
    await page.keyboard.press("Enter")
    await page.getByText("Enter the value again: the stored one belongs to another address.").waitFor()
    await page.getByLabel("Chat URL").fill("https://agent.example/v2/chat")
    await page.keyboard.press("Enter")
    await page.getByText("https://agent.example/v2/chat").waitFor()

    await page.getByRole("button", { name: "Check the voice endpoint of Night desk" }).click()
    await page.getByRole("status").getByText("Night desk: ").waitFor()
    await expectSoundPage(page, "settings-agents")
    await page.getByRole("button", { name: "Delete Night desk" }).click()
    await edit.waitFor({ state: "detached" })
  })
})
