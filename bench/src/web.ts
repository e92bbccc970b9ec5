/**
 * The web app in a real browser, against a server of its own process on SQLite: how soon the list of calls is painted after a
 * navigation, whether frames are late while all calls are scrolled through, and how soon a recording of an hour plays from its
 * middle, by range requests.
 *
 * Environment: `EARSHOT_BENCH_CALLS` (default: 100,000), `EARSHOT_BENCH_ROUNDS` (default: 15), `EARSHOT_TEST_BROWSER` (an
 * installed Chrome or Chromium; default: the Chromium of an npm package, for Linux x64).
 */
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import chromium from "@sparticuz/chromium"
import { type Browser, type BrowserContext, chromium as playwright, type Page } from "playwright-core"
import { benchmark, type Environment, numberFrom } from "./Benchmark.js"
import { openDatabase } from "./chaos/Databases.js"
import { seedCalls } from "./chaos/seedCalls.js"
import { initialize, startServer, type Tenant } from "./chaos/ServerProcess.js"
import { median } from "./measure.js"

interface Size {
  readonly calls: number
  readonly rounds: number
  /** Length of the recording in seconds. */
  readonly seconds: number
}

/** Milliseconds. Source: the web app's requirements. */
const PAINT_GOAL = 300
const FRAME_GOAL = 50
const PLAY_GOAL = 1000

/** Samples per second of the recording, of one byte each. */
const RATE = 8000

/** How long the scrolling may take, in milliseconds for each call. */
const SCROLL_LIMIT = 5

/** A tone as a WAV file of 8 bits, mono. */
const recording = (seconds: number): Uint8Array<ArrayBuffer> => {
  const samples = seconds * RATE
  const file = new Uint8Array(44 + samples)
  const view = new DataView(file.buffer)
  const text = (at: number, letters: string) => {
    file.set(Buffer.from(letters), at)
  }
  text(0, "RIFF")
  view.setUint32(4, 36 + samples, true)
  text(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, RATE, true)
  view.setUint32(28, RATE, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  text(36, "data")
  view.setUint32(40, samples, true)
  for (let at = 0; at < samples; at++) file[44 + at] = 128 + Math.round(60 * Math.sin(at / 6))
  return file
}

/** Builds the app if its sources have changed. */
const buildApp = async (): Promise<void> => {
  const folder = dirname(createRequire(import.meta.url).resolve("@earshot/web/package.json"))
  await promisify(execFile)(process.execPath, [join(folder, "build.mjs")])
}

const startBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: process.env.EARSHOT_TEST_BROWSER ?? (await chromium.executablePath()),
    args: ["--no-sandbox", "--no-zygote", "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required"],
    timeout: 30_000
  })

/** A browser without anything cached, signed in. */
const signedIn = async (browser: Browser, url: string, { key }: Tenant): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" })
  await context.request.post(`${url}/user/v1/session/`, { data: { api_key: key }, headers: { origin: url } })
  return context
}

const ingestRecorded = async (url: string, { agent, key }: Tenant, seconds: number): Promise<number> => {
  const form = new FormData()
  form.set("call_id", "long-call")
  form.set("agent", String(agent))
  form.set(
    "transcript_json",
    JSON.stringify([{ role: "Main Agent", content: "Hello.", start_time: 0, end_time: seconds }])
  )
  form.set("voice_recording", new Blob([recording(seconds)], { type: "audio/wav" }), "call.wav")
  const response = await fetch(`${url}/observability/v1/observe/`, {
    method: "POST",
    headers: { "x-service-api-key": key },
    body: form
  })
  const body: unknown = await response.json()
  if (response.status !== 201 || typeof body !== "object" || body === null || !("id" in body)) {
    throw new Error(`The recorded call was answered with ${response.status}: ${JSON.stringify(body)}`)
  }
  return Number(body.id)
}

/** When the first rows of the list were painted, in milliseconds from the navigation on. */
const paintOf = async (page: Page, url: string): Promise<number> => {
  await page.goto(`${url}/app/calls`, { waitUntil: "commit" })
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          // A frame that was drawn with rows ends before the next one begins.
          if (document.querySelector(".call-row a") === null) requestAnimationFrame(look)
          else
            requestAnimationFrame(() => {
              resolve(performance.now())
            })
        }
        look()
      })
  )
}

interface Scrolled {
  /** How many calls were loaded. */
  readonly calls: number
  /** Milliseconds between frames. */
  readonly frames: ReadonlyArray<number>
}

/** Scrolls down, some rows a frame, until all calls are loaded. */
const scroll = (page: Page, calls: number): Promise<Scrolled> =>
  page.evaluate(
    ({ calls: all, limit }) =>
      new Promise<Scrolled>((resolve) => {
        const list = document.querySelector<HTMLElement>(".call-table")
        const frames: Array<number> = []
        const began = performance.now()
        let before = began
        const step = (now: number) => {
          frames.push(now - before)
          before = now
          const rows = Number(list?.getAttribute("aria-rowcount"))
          const isAtEnd = list !== null && list.scrollTop + list.clientHeight >= list.scrollHeight - 1
          if (list === null || now - began > limit || (isAtEnd && rows > all)) {
            resolve({ calls: Math.max(0, rows - 1), frames })
            return
          }
          list.scrollTop += 1200
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    { calls, limit: 20_000 + SCROLL_LIMIT * calls }
  )

interface Played {
  readonly ms: number
  readonly statuses: ReadonlyArray<number>
}

/** Seeks to the middle of a recording by its slider, and plays it. */
const playFromMiddle = async (page: Page, url: string, call: number, seconds: number): Promise<Played> => {
  const statuses: Array<number> = []
  page.on("response", (response) => {
    if (response.url().endsWith("/recording/")) statuses.push(response.status())
  })
  await page.goto(`${url}/app/calls/${call}`)
  const play = page.getByRole("button", { name: "Play", exact: true })
  await play.waitFor()
  const began = await page.evaluate(() => performance.now())
  await page.getByRole("slider", { name: "Position in the call" }).click()
  await play.click()
  const ms = await page.evaluate(
    ({ began: from, least }) =>
      new Promise<number>((resolve, reject) => {
        const audio = document.querySelector("audio")
        const look = () => {
          if (audio !== null && !audio.paused && audio.currentTime > least && audio.readyState >= 3) {
            resolve(performance.now() - from)
          } else if (performance.now() - from > 30_000) reject(new Error("The recording does not play."))
          else requestAnimationFrame(look)
        }
        look()
      }),
    { began, least: seconds * 0.45 }
  )
  return { ms, statuses }
}

const asMillis = (samples: ReadonlyArray<number>): string =>
  `median ${median(samples).toFixed(0)} ms, most ${Math.max(...samples).toFixed(0)} ms`

const measureIn = async (
  browser: Browser,
  url: string,
  tenant: Tenant,
  call: number,
  size: Size,
  { print }: Environment
): Promise<void> => {
  const cold: Array<number> = []
  const warm: Array<number> = []
  for (let round = 0; round < size.rounds; round++) {
    const context = await signedIn(browser, url, tenant)
    const page = await context.newPage()
    cold.push(await paintOf(page, url))
    warm.push(await paintOf(page, url))
    await context.close()
  }
  print(`  first list painted, nothing cached: ${asMillis(cold)} after the navigation (goal: ${PAINT_GOAL})`)
  print(`  first list painted, scripts cached: ${asMillis(warm)} after the navigation (goal: ${PAINT_GOAL})`)

  const context = await signedIn(browser, url, tenant)
  try {
    const page = await context.newPage()
    await paintOf(page, url)
    const { calls, frames } = await scroll(page, size.calls)
    const late = frames.filter((ms) => ms > FRAME_GOAL)
    print(
      `  scrolling ${calls} calls: ${late.length} of ${frames.length} frames took more than ${FRAME_GOAL} ms (goal: 0), the longest ${Math.max(...frames).toFixed(0)} ms`
    )
    if (calls < size.calls) throw new Error(`Only ${calls} of ${size.calls} calls were loaded in time`)
    const played: Array<number> = []
    const statuses = new Set<number>()
    for (let round = 0; round < size.rounds; round++) {
      const player = await context.newPage()
      const one = await playFromMiddle(player, url, call, size.seconds)
      played.push(one.ms)
      for (const status of one.statuses) statuses.add(status)
      await player.close()
    }
    if (!statuses.has(206)) throw new Error(`No range was requested: ${[...statuses].join(", ")}`)
    print(
      `  a recording of ${size.seconds / 60} minutes plays from its middle: ${asMillis(played)} after the click on its middle (goal: ${PLAY_GOAL}), by responses of status ${[...statuses].toSorted().join(" and ")}`
    )
  } finally {
    await context.close()
  }
}

const measure = async (size: Size, environment: Environment): Promise<void> => {
  await buildApp()
  const place = await openDatabase("sqlite", environment)
  try {
    const tenant = await initialize(place.address, "Web", environment.program)
    await seedCalls(place, tenant, size.calls)
    const server = await startServer(place.address, {
      program: environment.program,
      args: ["--recordings", join(place.folder, "recordings")]
    })
    try {
      const call = await ingestRecorded(server.url, tenant, size.seconds)
      const browser = await startBrowser()
      try {
        environment.print(`the web app in a browser, ${size.calls} calls on SQLite, ${size.rounds} rounds`)
        await measureIn(browser, server.url, tenant, call, size, environment)
      } finally {
        await browser.close()
      }
    } finally {
      await server.kill()
    }
  } finally {
    await place.remove()
  }
}

export const webBenchmark = benchmark<Size>({
  name: "web",
  full: {
    calls: numberFrom("EARSHOT_BENCH_CALLS", 100_000),
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 15),
    seconds: 3600
  },
  tiny: { calls: 300, rounds: 1, seconds: 20 },
  run: measure
})
