/** The public packages as their archives contain them: packed, checked file by file, and installed in a bare folder. */
import { execFile } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { mkdir, readdir, readFile, symlink } from "node:fs/promises"
import { builtinModules } from "node:module"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import ts from "typescript"

const run = promisify(execFile)

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const PACKAGES = join(ROOT, "packages")

type Targets = string | { readonly [condition: string]: Targets }

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly packageManager?: string
  readonly repository?: unknown
  readonly scripts?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, Targets>>
  readonly publishConfig?: { readonly exports: Readonly<Record<string, Targets>> }
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace and the folder into which its archive was extracted. */
export interface Packed {
  readonly folder: string
  readonly manifest: Manifest
  /** Its folder in the workspace. */
  readonly workspace: string
}

export const manifestOf = async (folder: string): Promise<Manifest> =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- the workspace's own manifests, which pnpm has read
  JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest

/** pnpm is run by the pnpm that runs this script, otherwise through npm, which has it in its cache after an install. */
const pnpm = async (...args: ReadonlyArray<string>): Promise<void> => {
  const own = process.env.npm_execpath
  const [command, first] =
    own !== undefined && /pnpm[^/\\]*$/.test(own)
      ? [process.execPath, [own]]
      : ["npx", ["-y", "--prefer-offline", (await manifestOf(ROOT)).packageManager ?? "pnpm"]]
  await run(command, [...first, ...args], { cwd: ROOT, maxBuffer: 2 ** 26 })
}

/**
 * Packs every public package as it is published, and extracts the archives into `FOLDER/NAME/node_modules/@earshot/NAME`.
 * Beside each package are links to its declared dependencies and to the peers that are `installed`, and to nothing else:
 * a module that imports another package does not find it. Third-party packages are those of the workspace.
 */
export const packAll = async (folder: string, installed: ReadonlyArray<string>): Promise<ReadonlyArray<Packed>> => {
  await run(process.execPath, [join(ROOT, "scripts/tsc.mjs"), "-b", ROOT])
  const archives = join(folder, "archives")
  await mkdir(archives, { recursive: true })
  await pnpm("-r", "--filter", "./packages/*", "pack", "--pack-gzip-level", "0", "--pack-destination", archives)
  const names = (await readdir(PACKAGES)).filter((name) => existsSync(join(PACKAGES, name, "package.json")))
  const packed: Array<Packed> = []
  for (const name of names) {
    const workspace = join(PACKAGES, name)
    const source = await manifestOf(workspace)
    if (source.private === true) continue
    const extracted = join(folder, name, "node_modules", source.name)
    await mkdir(extracted, { recursive: true })
    const archive = `${source.name.slice(1).replace("/", "-")}-${source.version}.tgz`
    await run("tar", ["-xf", join(archives, archive), "-C", extracted, "--strip-components=1"])
    packed.push({ folder: extracted, manifest: await manifestOf(extracted), workspace })
  }
  for (const { folder: extracted, manifest, workspace } of packed) {
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter((name) => installed.includes(name))
    for (const name of [...Object.keys(manifest.dependencies ?? {}), ...peers]) {
      const other = packed.find((one) => one.manifest.name === name)
      await link(join(dirname(dirname(extracted)), name), other?.folder ?? join(workspace, "node_modules", name))
    }
  }
  return packed
}

/** A program's folder with only these packages installed: those of archives, and others as this workspace has them. */
export const installInto = async (
  folder: string,
  packed: ReadonlyArray<Packed>,
  others: ReadonlyArray<string>
): Promise<void> => {
  const modules = join(folder, "node_modules")
  for (const { folder: extracted, manifest } of packed) {
    await link(join(modules, manifest.name), extracted)
    for (const [name, file] of Object.entries(manifest.bin ?? {}))
      await link(join(modules, ".bin", name), join(extracted, file))
  }
  const folders = [ROOT, ...packed.map(({ workspace }) => workspace)].map((one) => join(one, "node_modules"))
  for (const name of others) {
    const found = folders.map((one) => join(one, name)).find((one) => existsSync(one))
    await link(join(modules, name), found ?? `missing: ${name}`)
  }
}

const link = async (path: string, target: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await symlink(realpathSync(target), path)
}

const filesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted()

export const targetsOf = (targets: Targets): ReadonlyArray<string> =>
  typeof targets === "string" ? [targets] : Object.values(targets).flatMap(targetsOf)

/** The files that a target of `exports` names; `*` stands for any part of a path. */
const matching = (target: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [before = "", after] = target.replace(/^\.\//, "").split("*")
  if (after === undefined) return files.filter((file) => file === before)
  return files.filter((file) => file.startsWith(before) && file.endsWith(after) && !file.endsWith(`.d${after}`))
}

/** Every specifier that a program may import from a package, patterns written out. */
export const specifiersOf = async ({ folder, manifest }: Packed): Promise<ReadonlyArray<string>> => {
  const files = await filesOf(folder)
  return Object.entries(manifest.exports ?? {}).flatMap(([path, targets]) => {
    const name = manifest.name + path.slice(1)
    const target = typeof targets === "string" ? targets : targets.default
    if (typeof target !== "string" || !path.includes("*")) return [name]
    const [before = "", after = ""] = target.replace(/^\.\//, "").split("*")
    return matching(target, files).map((file) =>
      name.replace("*", file.slice(before.length, file.length - after.length))
    )
  })
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Whether a relative import of a module leads to a file of its kind. */
const isFound = (file: string, specifier: string, files: ReadonlySet<string>): boolean => {
  const path = join(dirname(file), specifier).replaceAll("\\", "/")
  return files.has(file.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path)
}

/** Files beside a module that it opens or resolves by a literal path. */
const URLS = /new URL\(\s*"(\.[^"]*)",\s*import\.meta\.url/g
const RESOLVED = /(?:createRequire\(import\.meta\.url\)|\brequire)\s*(?:\.resolve)?\(\s*["'`]([@\w][\w@/.:-]*)/g

/**
 * What is wrong with the files of a package: exports and commands without their file, imports of packages that are not
 * declared, and of files that the archive does not contain.
 */
export const problemsOf = async ({ folder, manifest }: Packed): Promise<ReadonlyArray<string>> => {
  const files = await filesOf(folder)
  const present = new Set(files)
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {})
  ])
  const problems: Array<string> = []
  const named = [
    ...Object.entries(manifest.exports ?? {}).flatMap(([path, targets]) =>
      targetsOf(targets).map((target) => [path, target] as const)
    ),
    ...Object.entries(manifest.bin ?? {})
  ]
  for (const [name, target] of named) {
    if (matching(target, files).length === 0) problems.push(`${name} names ${target}, which is not in the archive`)
  }
  for (const file of files.filter((one) => /\.(?:js|d\.ts)$/.test(one))) {
    const text = await readFile(join(folder, file), "utf8")
    const imported = ts.preProcessFile(text, true, false).importedFiles.map(({ fileName }) => fileName)
    // Modules in a bundle have the paths of their sources.
    const isBundled = file.startsWith("dist/bundle/")
    const resolved = isBundled ? [] : Array.from(text.matchAll(RESOLVED), ([, name = ""]) => name)
    for (const specifier of new Set([...imported, ...resolved])) {
      const name = packageOf(specifier)
      if (specifier.startsWith(".")) {
        if (!isFound(file, specifier, present))
          problems.push(`${file} imports ${specifier}, which is not in the archive`)
      } else if (!specifier.startsWith("node:") && !builtinModules.includes(name) && !declared.has(name))
        problems.push(`${file} imports ${name}, which is not declared`)
    }
    for (const [, path = ""] of isBundled ? [] : text.matchAll(URLS)) {
      const opened = join(dirname(file), path).replaceAll("\\", "/")
      if (!present.has(opened)) problems.push(`${file} opens ${path}, which is not in the archive`)
    }
  }
  return problems
}
