// Bundles the command from its sources, with the packages of this workspace and what they import, into one folder of
// ES modules: `node bundle.mjs [FOLDER]`. The folder has to be two levels below this one, like `dist/bundle`.
import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const here = path.dirname(fileURLToPath(import.meta.url))
const packages = path.dirname(here)
/** Paths of esbuild are relative to the workspace, wherever the bundle is made from. */
const workspace = path.dirname(packages)
const manifest = JSON.parse(await readFile(path.join(here, "package.json"), "utf8"))

/** Installed with the command instead: native addons, WebAssembly that is loaded as a file, and static files. */
const external = Object.keys(manifest.dependencies)

/**
 * A source file keeps a URL of its own in the bundle, so that it finds the data files of its package and the modules that
 * it resolves by itself: `dist/bundle/packages/redaction/src/X.js`, beside which the package's data folders are copied.
 */
const ownUrls = (outDir) => ({
  name: "own-urls",
  async setup({ onLoad }) {
    const withServerFiles = await serverFiles()
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      if (!file.startsWith(packages)) return undefined
      const read = await readFile(file, "utf8")
      const text = file.startsWith(here) ? withServerFiles(read) : read
      if (text === read && !text.includes("import.meta.url")) return undefined
      const url = file.startsWith(here)
        ? path.relative(outDir, file)
        : path.join("packages", path.relative(packages, file))
      const own = `new URL(${JSON.stringify(`./${url.replaceAll("\\", "/").replace(/\.ts$/, ".js")}`)}, import.meta.url).href`
      return { contents: text.replaceAll("import.meta.url", own), loader: "ts" }
    })
  }
})

const SERVER = "@earshot/http-adapter"

/**
 * Imports of the server's index become imports of the files that it names. esbuild splits by files: every command logs by
 * the server's format, and by way of the index each would load the whole server.
 */
const serverFiles = async () => {
  const src = path.join(packages, "http-adapter/src")
  const index = await readFile(path.join(src, "index.ts"), "utf8")
  const found = new Map()
  for (const [, names, file] of index.matchAll(/export \{([^}]*)\} from "\.\/(.*?)\.js"/g)) {
    for (const entry of names.split(",")) {
      const [name, as = name] = entry.trim().split(" as ")
      found.set(as, { name, file: path.join(src, `${file}.ts`) })
    }
  }
  const statement = (clause) => (whole, list) =>
    list
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "" && !entry.startsWith("type "))
      .map((entry) => {
        const { file, name } = found.get(entry) ?? {}
        return file === undefined ? whole : `${clause} { ${name} as ${entry} } from ${JSON.stringify(file)}`
      })
      .join("; ")
  const pattern = (clause) => new RegExp(`^${clause} \\{([^}]*)\\} from "${SERVER}"$`, "gm")
  return (text) => ["import", "export"].reduce((left, clause) => left.replace(pattern(clause), statement(clause)), text)
}

/** The licenses of what is bundled. */
const notices = async (inputs) => {
  const folders = new Set(
    Object.keys(inputs).flatMap(
      (input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.resolve(workspace, input))?.[1] ?? []
    )
  )
  const texts = await Promise.all(
    [...folders].toSorted().map(async (folder) => {
      const { license, name, version } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"))
      const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
      return `${name} ${version} (${license})\n\n${file === undefined ? "" : await readFile(path.join(folder, file), "utf8")}`
    })
  )
  return texts.join(`\n${"-".repeat(80)}\n\n`)
}

/** Bundles the command into a folder; answers the modules that were bundled. */
export const bundle = async (outDir = path.join(here, "dist/bundle")) => {
  await rm(outDir, { recursive: true, force: true })
  const { metafile } = await build({
    entryPoints: {
      earshot: path.join(here, "src/earshot.ts"),
      // Where the engine finds the programs of its threads from a file in the bundle.
      "packages/redaction/dist/audio/thread": path.join(packages, "redaction/src/audio/thread.ts"),
      "packages/redaction/dist/thread/thread": path.join(packages, "redaction/src/thread/thread.ts")
    },
    absWorkingDir: workspace,
    outdir: outDir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["@earshot/source", "module"],
    mainFields: ["module", "main"],
    external,
    metafile: true,
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "warning",
    // CommonJS modules in the bundle require Node's own.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    },
    plugins: [ownUrls(outDir)]
  })
  // The folders of data that a package publishes.
  for (const name of await readdir(packages)) {
    const file = path.join(packages, name, "package.json")
    if (name === path.basename(here) || !existsSync(file)) continue
    const inBundle = Object.keys(metafile.inputs).some((input) =>
      path.resolve(workspace, input).startsWith(path.join(packages, name, "src"))
    )
    // A package reads its version from its manifest.
    if (inBundle) await cp(file, path.join(outDir, "packages", name, "package.json"))
    const { files = [] } = JSON.parse(await readFile(file, "utf8"))
    for (const folder of files.filter((one) => !/^(?:!.*|bin|dist(?:\/.*)?|src|README\.md)$/.test(one))) {
      if (inBundle)
        await cp(path.join(packages, name, folder), path.join(outDir, "packages", name, folder), { recursive: true })
    }
  }
  await mkdir(outDir, { recursive: true })
  await writeFile(path.join(outDir, "LICENSES.txt"), await notices(metafile.inputs))
  return metafile
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle(process.argv[2] === undefined ? undefined : path.resolve(process.argv[2]))
}
