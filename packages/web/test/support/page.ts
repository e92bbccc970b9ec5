/** A page of the app in a browser, and what every page has to be. */
import type { Browser, BrowserContext, Page } from "playwright-core"
import { expect } from "vitest"
import { overflows, screenshot, violations } from "./browser.js"

export interface OpenOptions {
  readonly width?: number
  readonly dark?: boolean
  readonly signedIn?: boolean
  /** The key that signs in; default: that of the server, which may do everything. */
  readonly apiKey?: string
}

export interface OpenedPage {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, messages of the console, and requests to other hosts, as they occur. */
  readonly problems: ReadonlyArray<string>
}

export const openPage = async (
  browser: Browser,
  server: { readonly url: string; readonly apiKey: string },
  { apiKey = server.apiKey, dark = false, signedIn = true, width = 1280 }: OpenOptions = {}
): Promise<OpenedPage> => {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    locale: "en-US"
  })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const problems: Array<string> = []
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
      data: { api_key: apiKey },
      headers: { origin: server.url }
    })
  }
  return { context, page, problems }
}

/** Every page is accessible, not wider than its window, and escaped. */
export const expectSoundPage = async (page: Page, name: string): Promise<void> => {
  await screenshot(page, name)
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toBe(false)
  expect(await page.evaluate(() => "hacked" in window)).toBe(false)
}
