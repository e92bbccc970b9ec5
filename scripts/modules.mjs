// Bundles the package in the current folder for publication: `node ../../scripts/modules.mjs`, run by `prepack`. Each entry
// of `publishConfig.exports` becomes one file, with what several of them share in chunks beside them. Node takes longer to
// find, read and link hundreds of modules than to run them. The workspace itself uses the modules as the compiler writes them.
import { readdir, readFile, rm } from "node:fs/promises"
import * as path from "node:path"
import { build } from "esbuild"

const folder = process.cwd()
const OUT = "dist/modules"
const manifest = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"))

/** The sources of an entry: `./dist/modules/providers/*.js` is bundled from every file in `src/providers`. */
const sourcesOf = async (target) => {
  const name = path.relative(OUT, target).replace(/\.js$/, "")
  if (name.startsWith("..")) throw new Error(`${manifest.name} publishes ${target}, which is not in ${OUT}`)
  if (!name.includes("*")) return [`src/${name}.ts`]
  const directory = path.dirname(`src/${name}`)
  const files = await readdir(path.join(folder, directory))
  return files.filter((file) => file.endsWith(".ts")).map((file) => `${directory}/${file}`)
}

const targets = Object.values(manifest.publishConfig.exports).map((entry) => entry.default)
await rm(path.join(folder, OUT), { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: (await Promise.all(targets.map(sourcesOf))).flat(),
  outbase: "src",
  outdir: OUT,
  // Two levels below the package like most of its sources, so that URLs of its data files are right.
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  // The sources are published.
  sourcesContent: false,
  logLevel: "warning"
})
