/** A browser for tests: an installed one, or the Chromium of an npm package. */
import { mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import chromium from "@sparticuz/chromium"
import { type Browser, chromium as playwright, type Page } from "playwright-core"

const require = createRequire(import.meta.url)

/** Where screenshots are kept for a look, out of the tree; none are made without it. */
const SCREENSHOTS = process.env.EARSHOT_SCREENSHOTS

/** `EARSHOT_TEST_BROWSER` names an installed Chrome or Chromium. */
export const startBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: process.env.EARSHOT_TEST_BROWSER ?? (await chromium.executablePath()),
    // Not those of the package, which turn off the rules of origins that the app depends on. Without an emulated GPU the
    // tests of a file take a tenth less processor time.
    args: ["--no-sandbox", "--no-zygote", "--disable-dev-shm-usage", "--font-render-hinting=none", "--disable-gpu"],
    timeout: 30_000
  })

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly target: ReadonlyArray<unknown> }>
}

/** Violations of accessibility that are serious or critical, as `rule: element`. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // It takes as long to load as to run, and stays while the app shows its next page in the same document.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axeSource())
  const found: ReadonlyArray<Violation> = await page.evaluate(async () => {
    // The script above put it there, which no type says.
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: Array<Violation> }> }
    }
    // Details of what is in order are not worked out.
    return (await axe.run({ resultTypes: ["violations"] })).violations
  })
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** Evaluated by the debugger, since the policy of the page allows no script of another origin. */
let source: string | undefined
const axeSource = async (): Promise<string> => {
  const { readFile } = await import("node:fs/promises")
  source ??= await readFile(require.resolve("axe-core/axe.min.js"), "utf8")
  return source
}

/** Whether a page is wider than its window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)

export const screenshot = async (page: Page, name: string): Promise<void> => {
  if (SCREENSHOTS === undefined) return
  mkdirSync(SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) })
}
