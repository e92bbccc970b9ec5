/** A server and a browser for the tests of a file, and the page that each of them opens. */
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import { startBrowser } from "./browser.js"
import { type OpenedPage, openPage, type OpenOptions } from "./page.js"
import { startWebServer, type WebServer } from "./server.js"

export interface BrowserFixture {
  /** To be read when the tests have begun. */
  readonly server: WebServer
  /** Opens a path below `/app` in a page that is closed after the test, which fails if the page had a problem. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>
  /** The context of the page that was opened last. */
  readonly context: () => BrowserContext | undefined
}

/**
 * To be called where tests are described.
 *
 * @param isExpected which problems of a page are none
 */
export const browserFixture = (isExpected: (problem: string) => boolean = () => false): BrowserFixture => {
  let server: WebServer
  let browser: Browser
  let opened: OpenedPage | undefined
  const ends: Array<() => Promise<void>> = []

  beforeAll(async () => {
    server = await startWebServer(3)
    ends.push(server.close)
    browser = await startBrowser()
    ends.unshift(() => browser.close())
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  afterEach(async () => {
    await server.start()
    await opened?.context.close()
    expect(opened?.problems.filter((problem) => !isExpected(problem))).toEqual([])
  })

  return {
    get server() {
      return server
    },
    context: () => opened?.context,
    open: async (path, options = {}) => {
      opened = await openPage(browser, server, options)
      await opened.page.goto(`${server.url}/app${path}`)
      return opened.page
    }
  }
}
