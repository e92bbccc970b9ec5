/** The pages of evaluators, personalities and test profiles in a browser, against a fixture.server. */
import { describe, expect, it } from "vitest"
import { browserFixture } from "./support/fixture.js"
import { expectSoundPage } from "./support/page.js"

const HOSTILE = `<img src=x onerror="window.hacked=1">\u202Etxt ${"x".repeat(30)}`

describe("the pages of tests", () => {
  const fixture = browserFixture()
  const { open } = fixture

  it("create a folder and an evaluator in it, change it, find it and delete it", async () => {
    const page = await open("/calls")
    await page.getByRole("link", { name: "Tests" }).click()
    await page.getByText("No evaluators here").waitFor()
    await page.getByRole("button", { name: "New folder" }).click()
    await page.getByLabel("Path").fill("smoke.nightly")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("dialog").getByRole("alert").waitFor()
    expect(await page.getByLabel("Path").inputValue()).toBe("smoke.nightly")
    await page.getByLabel("Path").fill("smoke")
    await page.keyboard.press("Enter")
    await page.getByRole("navigation", { name: "Folders" }).getByRole("link", { name: "smoke" }).waitFor()

    await page.getByRole("link", { name: "New evaluator" }).click()
    expect(await page.getByLabel("Folder", { exact: true }).inputValue()).toBe("smoke")
    await page.getByLabel("Name").fill("Books a table")
    await page.getByLabel("Tags").fill("dinner, friday")
    await page.getByRole("checkbox", { name: "Latency", exact: true }).check()
    await page.getByLabel("Maximum duration").fill("0")
    await page.getByRole("button", { name: "Create" }).click()
    // Both errors are at their fields, which keep what was typed.
    const wrong = page.locator("[aria-invalid=true]")
    await wrong.first().waitFor()
    expect(
      await wrong.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).labels?.[0]?.innerText))
    ).toEqual(["Instructions", "Maximum duration in seconds"])
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true")
    await expectSoundPage(page, "evaluator-errors")
    await page.getByLabel("Instructions", { exact: true }).fill("Ask for a table for two on Friday.")
    await page.getByLabel("Maximum duration").fill("120")
    await page.getByRole("button", { name: "Create" }).click()
    const table = page.getByRole("table")
    await table.getByText("friday").waitFor()
    await expectSoundPage(page, "evaluators")

    await table.getByRole("link", { name: "Books a table" }).click()
    await page.getByLabel("First message").fill("Good evening.")
    expect(await page.getByRole("checkbox", { name: "Latency", exact: true }).isChecked()).toBe(true)
    await page.getByRole("button", { name: "Save" }).click()
    await table.getByText("friday").waitFor()
    await page.getByRole("searchbox").fill("table for TWO")
    await page.keyboard.press("Enter")
    await page.waitForURL(/search=/)
    await table.getByText("Books a table").waitFor()
    page.on("dialog", (dialog) => void dialog.accept())
    await page.getByRole("button", { name: "Delete Books a table" }).click()
    await page.getByText("No evaluators match").waitFor()
  })

  it("edit conditional actions with the keyboard, with each error at its item", async () => {
    const page = await open("/evaluators/new")
    await page.getByLabel("Name").fill("In a hurry")
    await page.getByLabel("Type").selectOption("conditional_actions")
    await page.getByLabel("Who the caller is").fill("A caller in a hurry")
    const item = (at: number) => page.getByRole("listitem", { name: `Item ${at}` })
    await item(0).getByLabel("Action of the caller").fill("Hello")
    const add = page.getByRole("button", { name: "Item", exact: true })
    await add.press("Enter")
    await item(1).getByLabel("What the agent does").fill("The agent asks for a date")
    await item(1).getByLabel("Action of the caller").fill('<silence time="0" />Friday')
    await add.press("Enter")
    await item(2).getByLabel("When").selectOption("item")
    await item(2).getByLabel("Item", { exact: true }).selectOption("Item 1")
    await item(2).getByLabel("Action of the caller").fill("Thanks <endcall />")
    await page.getByRole("button", { name: "Create" }).press("Enter")
    await item(1).getByRole("alert").waitFor()
    expect(await item(1).getByLabel("Action of the caller").getAttribute("aria-invalid")).toBe("true")
    await expectSoundPage(page, "conditional-actions")
    await item(1).getByLabel("Action of the caller").fill('<silence time="2" />Friday')
    // The reference follows the item that it refers to.
    await page.getByRole("button", { name: "Move item 2 up" }).press("Enter")
    expect(await item(1).getByLabel("Item", { exact: true }).inputValue()).toBe("2")
    await page.getByRole("button", { name: "Create" }).press("Enter")
    await page.getByRole("link", { name: "In a hurry" }).waitFor()
    const { results } = (await fixture.server.get("/test_framework/v1/scenarios/?search=hurry")) as {
      results: ReadonlyArray<{ readonly conditional_actions: { readonly conditions: ReadonlyArray<unknown> } }>
    }
    expect(results[0]?.conditional_actions.conditions).toMatchObject([
      { condition: "FIRST_MESSAGE" },
      { condition: 2, action: "Thanks <endcall />" },
      { condition: "The agent asks for a date", action: '<silence time="2" />Friday' }
    ])
  })

  it("keep what was typed while the server is busy and when the session ends", async () => {
    const page = await open("/evaluators/new")
    await page.getByLabel("Name").fill("Kept")
    await page.getByLabel("Instructions", { exact: true }).fill("Typed before.")
    await page.route("**/scenarios/", (route) =>
      route.fulfill({ status: 503, json: { detail: "The database is busy." }, headers: { "retry-after": "1" } })
    )
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("alert").getByText("The server is busy.").waitFor()
    await page.unroute("**/scenarios/")
    await fixture.context()?.clearCookies()
    await page.getByRole("button", { name: "Create" }).click()
    const ended = page.getByRole("heading", { name: "Your session has ended" })
    await ended.waitFor()
    await page.getByLabel("API key").fill(fixture.server.apiKey)
    await page.keyboard.press("Enter")
    await ended.waitFor({ state: "detached" })
    await page.getByText("Sign in again.").waitFor({ state: "detached" })
    expect(await page.getByLabel("Instructions", { exact: true }).inputValue()).toBe("Typed before.")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("link", { name: "Kept" }).waitFor()
  })

  it("create, enable, edit and delete personalities and test profiles", async () => {
    const page = await open("/personalities")
    page.on("dialog", (dialog) => void dialog.accept())
    await page.getByRole("button", { name: "New personality" }).click()
    await page.getByLabel("Name").fill("Impatient")
    await page.getByLabel("Language").selectOption("German")
    await page.getByLabel("Description").fill("Sighs and interrupts.")
    await expectSoundPage(page, "personality")
    await page.getByRole("button", { name: "Create" }).click()
    const row = page.getByRole("row", { name: /Impatient/ })
    await row.getByText("German").waitFor()
    await row.getByRole("button", { name: "Enable Impatient" }).click()
    await row.getByText("Enabled").waitFor()
    await row.getByRole("button", { name: "Edit Impatient" }).click()
    await page.getByLabel("Name").fill("Hurried")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Delete Hurried" }).click()
    await page.getByText("Hurried").waitFor({ state: "detached" })

    await page.getByRole("link", { name: "Test profiles" }).click()
    await page.getByRole("button", { name: "New test profile" }).click()
    await page.getByLabel("Name").fill("Guest in room 12")
    const information = page.getByLabel("Information as JSON")
    await information.fill("{")
    await page.getByText("This is not a JSON object.").waitFor()
    expect(await page.getByRole("button", { name: "Create" }).isDisabled()).toBe(true)
    await information.fill('{"main_agent_variables":{"room":12},"guest":{"name":"A. Guest"}}')
    await expectSoundPage(page, "profile")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByText("main_agent_variables: room; guest: name").waitFor()
    await expectSoundPage(page, "profiles")
    await page.getByRole("button", { name: "Delete Guest in room 12" }).click()
    await page.getByText("No test profiles yet").waitFor()
  })

  it("show and play a run while it is played", async () => {
    await fixture.server.post("/test_framework/v2/scenarios/run_scenarios_json/", {
      agent_id: fixture.server.agent,
      spec: {
        version: "1",
        suite: { name: "Live" },
        scenarios: [{ key: "live", name: "Is listened to", type: "instruction", instructions: "Talk." }]
      }
    })
    const { results } = (await fixture.server.post("/test_framework/v1/runs/claim/", { channel: "voice" })) as {
      results: ReadonlyArray<{ readonly run: { readonly id: number } }>
    }
    const { id } = results[0]!.run
    const turn = (speaker: "main_agent" | "testing_agent", content: string, startTime: number | undefined) => ({
      speaker,
      content,
      startTime,
      endTime: undefined,
      words: []
    })
    const { end, observer } = await fixture.server.playRun(id)
    observer.turn(turn("main_agent", "Good evening.", 1.2))
    const page = await open(`/runs/${id}`)
    const live = page.getByRole("region", { name: "In progress" })
    await live.getByText("Agent 0:01 Good evening.").waitFor()
    observer.turn(turn("testing_agent", HOSTILE, undefined))
    await live.getByText("onerror").waitFor()
    expect(await live.getByRole("button").count()).toBe(0)
    // A tone of the agent, 20 ms a frame, until the page plays it.
    const tone = Uint8Array.from({ length: 160 }, (_, at) => (at % 16 < 8 ? 0x90 : 0x10))
    let frame = 0
    const sound = setInterval(() => {
      observer.audio(frame++, null, tone)
    }, 20)
    try {
      await live.getByRole("button", { name: "Listen" }).press("Enter")
      await live.getByRole("button", { name: "Stop listening", pressed: true }).waitFor()
      await expectSoundPage(page, "live-run")
      await live.getByRole("button", { name: "Stop listening" }).press("Enter")
      await live.getByRole("button", { name: "Listen" }).waitFor()
    } finally {
      clearInterval(sound)
    }
    await end()
    await live.getByText("Live", { exact: true }).waitFor({ state: "detached" })
    expect(await live.getByText("Good evening.").isVisible()).toBe(true)
    // Nobody plays it any more: the page says where it can be heard.
    await page.reload()
    await live.getByRole("alert").getByText("executed by another process or by a worker").waitFor()
  })

  it("offer nothing that the key may not do", async () => {
    await fixture.server.post("/test_framework/v1/scenarios/", {
      agent: fixture.server.agent,
      name: "Is read",
      scenario_type: "instruction",
      instructions: "Read it."
    })
    const { api_key } = (await fixture.server.post("/user/v1/api_keys/", {
      name: "reader",
      scopes: ["evaluators:read", "catalog:read"]
    })) as { api_key: string }
    const page = await open("/evaluators", { apiKey: api_key })
    await page.getByRole("link", { name: "Is read" }).waitFor()
    const actions = page.getByRole("main").getByRole("button", { name: /New|Delete|Rename|Edit|Enable/ })
    expect(await actions.count()).toBe(0)
    expect(await page.getByRole("link", { name: "New evaluator" }).count()).toBe(0)
    await page.getByRole("link", { name: "Is read" }).click()
    await page.getByLabel("Instructions", { exact: true }).waitFor()
    expect(await page.getByLabel("Instructions", { exact: true }).isDisabled()).toBe(true)
    expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0)
    for (const name of ["Personalities", "Test profiles"]) {
      await page.goto(`${fixture.server.url}/app/${name === "Personalities" ? "personalities" : "profiles"}`)
      await page.getByRole("heading", { name }).waitFor()
      await page.getByText(/^No (personalities|test profiles) yet$/).waitFor()
      expect(await actions.count()).toBe(0)
    }
  })

  it.each([
    [360, true],
    [2560, false]
  ])("show text of others as text, and fit in %i pixels (dark: %s)", async (width, dark) => {
    await fixture.server.post("/test_framework/v1/folders/", {
      project: fixture.server.project,
      path: HOSTILE.replaceAll(".", "")
    })
    await fixture.server.post("/test_framework/v1/personalities/", {
      project: fixture.server.project,
      name: HOSTILE,
      language: "en",
      description: HOSTILE.repeat(40)
    })
    await fixture.server.post("/test_framework/v1/scenarios/", {
      agent: fixture.server.agent,
      name: HOSTILE.slice(0, 80),
      scenario_type: "instruction",
      instructions: HOSTILE.repeat(40),
      tags: [HOSTILE.slice(0, 64)]
    })
    const page = await open("/evaluators", { width, dark })
    await page.getByRole("navigation", { name: "Folders" }).getByText("onerror").waitFor()
    await page.getByRole("table").getByText("onerror").first().waitFor()
    await expectSoundPage(page, `evaluators-${width}`)
    await page.getByRole("table").getByRole("link", { name: "onerror" }).first().click()
    await page.getByLabel("Instructions", { exact: true }).waitFor()
    await expectSoundPage(page, `evaluator-${width}`)
    await page.goto(`${fixture.server.url}/app/personalities`)
    await page.getByRole("table").getByText("onerror").first().waitFor()
    await expectSoundPage(page, `personalities-${width}`)
  })
})
