// Builds the app into dist/app, with a .br and a .gz beside every text file: `node build.mjs`. Does nothing if no source
// has changed since.
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

const here = path.dirname(fileURLToPath(import.meta.url))
const out = path.join(here, "dist/app")
const stamp = path.join(here, "dist/app.sha256")

const filesOf = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()

/** A hash of everything that the bundle is made from. */
const hashOfSources = async () => {
  const hash = createHash("sha256")
  const files = [
    ...["index.html", "vite.config.ts", "build.mjs", "package.json"].map((name) => path.join(here, name)),
    path.join(here, "../../pnpm-lock.yaml"),
    ...(await filesOf(path.join(here, "src"))),
    ...(await filesOf(path.join(here, "../client/src")))
  ]
  for (const file of files) {
    if (existsSync(file)) hash.update(path.relative(here, file)).update(await readFile(file))
  }
  return hash.digest("hex")
}

const TEXT = /\.(?:js|css|html|svg|json|txt)$/

const compress = async () => {
  for (const file of await filesOf(out)) {
    if (!TEXT.test(file)) continue
    const content = await readFile(file)
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, quality))
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

/** Only one process builds at a time; a lock that was left behind is taken over. */
const withLock = async (action) => {
  await mkdir(path.join(here, "dist"), { recursive: true })
  const lock = path.join(here, "dist/app.lock")
  for (let waited = 0; ; waited += 250) {
    try {
      await mkdir(lock)
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
      if (waited > 120_000) break
      await setTimeout(250)
    }
  }
  try {
    return await action()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

const isBuilt = async (hash) =>
  existsSync(path.join(out, "index.html")) && existsSync(stamp) && (await readFile(stamp, "utf8")) === hash

export const buildApp = async () => {
  const hash = await hashOfSources()
  if (await isBuilt(hash)) return
  await withLock(async () => {
    if (await isBuilt(hash)) return
    // A process of its own: React takes its development build where NODE_ENV is another, as in tests.
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), "--vite"], {
      env: { ...process.env, NODE_ENV: "production" }
    })
    await writeFile(stamp, hash)
  })
}

const bundle = async () => {
  const { build } = await import("vite")
  await build({ root: here, configFile: path.join(here, "vite.config.ts"), logLevel: "warn", mode: "production" })
  await compress()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await (process.argv[2] === "--vite" ? bundle() : buildApp())
