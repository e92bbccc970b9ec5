import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { installInto, manifestOf, packAll, type Packed, problemsOf, ROOT, specifiersOf, targetsOf } from "./archives.js"

/** What a host installs beside the packages; the optional peers that it does not name are absent. */
const INSTALLED = ["effect", "@clickhouse/client", "@effect/sql-sqlite-node", "vitest", "@effect/vitest", "fast-check"]

let folder: string
let app: string
let packed: ReadonlyArray<Packed>

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "earshot-packages-")))
  app = join(folder, "app")
  await mkdir(app)
  await writeFile(join(app, "package.json"), JSON.stringify({ type: "module", private: true }))
  packed = await packAll(folder, INSTALLED)
  await installInto(app, packed, [...INSTALLED, "@types/node"])
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const run = (command: string, ...args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve) => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:EARSHOT_|NODE_|VITEST|npm_)/.test(name))
    )
    execFile(command, [...args], { cwd: app, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ exitCode: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stdout, stderr })
    )
  })

const node = (file: string, ...args: ReadonlyArray<string>): Promise<Ran> => run(process.execPath, file, ...args)

const earshot = (...args: ReadonlyArray<string>): Promise<Ran> => node("node_modules/.bin/earshot", ...args)

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`

/** The kit's contracts import vitest, which refuses programs that it did not start: what they import has no effect here. */
const WITHOUT_VITEST = `register(${JSON.stringify(
  dataUrl(
    `export const resolve = (specifier, context, next) => /^(@effect\\/)?vitest$/.test(specifier)
       ? { url: ${JSON.stringify(dataUrl("export const describe = () => {}, expect = describe, it = describe, layer = describe"))}, shortCircuit: true }
       : next(specifier, context)`
  )
)})`

/** A program that needs what packages load from files: word lists and models, the sandbox's thread, SQLite's reader processes. */
const BUNDLED = `import { hostActor } from "@earshot/core"
import { createEngine } from "@earshot/core/promise"
import { fields } from "./parts.js"

const engine = await createEngine({ database: "sqlite:./bundled.db" })
const { agent, organization, project } = await engine.organizations.create({ name: "Bundled" })
const options = { actor: hostActor(organization.id) }
const code = { agent: agent.id, name: "Code", type: "custom_code", eval_type: "numeric", custom_code: "return 41 + 1" } as const
const metric = await engine.metrics.create(code, options)
const content = "I am Anna Miller, anna@example.com."
const { call } = await engine.calls.ingest(
  {
    call_id: "1",
    agent: agent.id,
    redact_fields: fields,
    metric_ids: String(metric.id),
    transcript_json: [{ role: "Testing Agent", content, start_time: 0, end_time: 3 }]
  },
  options
)
await engine.jobs.drain()
const { metrics, transcript } = await engine.calls.read(call.id, undefined, options)
const dashboard = await engine.dashboards.create({ name: "Calls", project: project.id }, options)
const widget = await engine.widgets.create({ dashboard: dashboard.id, chart_type: "stat" }, options)
const data = await engine.widgets.data(widget.id, options)
const calls = "total_calls" in data ? data.total_calls : null
console.log(JSON.stringify({ transcript, metrics: metrics.map(({ value }) => value), calls }))
await engine.close()
`

/** The TypeScript programs of a README, in their order. */
const programsOf = async (readme: string): Promise<ReadonlyArray<string>> =>
  Array.from((await readFile(join(ROOT, readme), "utf8")).matchAll(/```ts\n(.*?)```/gs), ([, code = ""]) => code)

describe("the archives of the public packages", () => {
  it("contain every export, command, module and data file, and declare every package that they import", async () => {
    const found = await Promise.all(
      packed.map(async (one) => (await problemsOf(one)).map((problem) => `${one.manifest.name}: ${problem}`))
    )
    expect(found.flat()).toEqual([])
    expect(packed.map(({ manifest }) => manifest.name)).toEqual([
      "@earshot/cli-adapter",
      "@earshot/client",
      "@earshot/core",
      "@earshot/http-adapter",
      "@earshot/redaction",
      "@earshot/test-kit",
      "@earshot/web"
    ])
  })

  it("are built when they are packed, and all name a repository or none does", async () => {
    const manifests = await Promise.all(packed.map(({ workspace }) => manifestOf(workspace)))
    const builds = manifests.map(({ name, scripts }) => `${name} ${scripts?.prepack ?? "has no prepack"}`)
    expect(builds.filter((one) => !/ node \S*(?:tsc|bundle|build)\.mjs/.test(one))).toEqual([])
    expect(new Set(manifests.map(({ repository }) => repository === undefined)).size).toBe(1)
  })

  it("export the same paths and types as in the workspace where they publish bundled modules", async () => {
    const bundled = (await Promise.all(packed.map(({ workspace }) => manifestOf(workspace)))).filter(
      ({ publishConfig }) => publishConfig !== undefined
    )
    expect(bundled.map(({ name }) => name)).toEqual(["@earshot/core", "@earshot/redaction"])
    for (const { exports = {}, name, publishConfig } of bundled) {
      const published = Object.entries(publishConfig?.exports ?? {}).map(([path, targets]) => [
        path,
        ...targetsOf(targets).map((target) => target.replace("/dist/modules/", "/dist/"))
      ])
      const here = Object.entries(exports).map(([path, targets]) => [
        path,
        ...targetsOf(targets).filter((target) => target.startsWith("./dist/"))
      ])
      expect(published, name).toEqual(here)
    }
  })

  it("depend on one another by the version that is packed", () => {
    const versions = new Map(packed.map(({ manifest }) => [manifest.name, manifest.version]))
    for (const { manifest } of packed) {
      for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
        if (name.startsWith("@earshot/")) expect(`${name} ${range}`).toBe(`${name} ${versions.get(name)}`)
      }
    }
  })

  it("are imported by every path that they export, with nothing installed but what they declare", async () => {
    const specifiers = (await Promise.all(packed.map(specifiersOf))).flat()
    await writeFile(
      join(app, "imports.js"),
      `import { register } from "node:module"
       ${WITHOUT_VITEST}
       const failed = []
       for (const specifier of ${JSON.stringify(specifiers)}) {
         const options = specifier.endsWith(".json") ? { with: { type: "json" } } : undefined
         try {
           if (Object.keys(await import(specifier, options)).length === 0) failed.push(specifier + " exports nothing")
         } catch (error) {
           failed.push(specifier + ": " + error)
         }
       }
       console.log(JSON.stringify(failed))
       process.exit()`
    )
    const { stderr, stdout } = await node("imports.js")
    expect({ failed: stdout === "" ? stdout : (JSON.parse(stdout) as unknown), stderr }).toEqual({
      failed: [],
      stderr: ""
    })
    expect(specifiers).toEqual(
      expect.arrayContaining(["@earshot/core/promise", "@earshot/core/providers/FileBlobStore"])
    )
  })

  it("run the README's first program and the command on its database", async () => {
    const [program = ""] = await programsOf("README.md")
    await writeFile(join(app, "main.js"), program)
    expect(await node("main.js")).toEqual({ exitCode: 0, stdout: "", stderr: "" })

    const { version } = await manifestOf(join(ROOT, "packages/cli-adapter"))
    expect(await earshot("--version")).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
    const listed = await earshot("calls", "list", "--database", "sqlite:./calls.db", "--json")
    expect(listed).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.parse(listed.stdout)).toMatchObject({ results: [{ call_id: "call-1" }] })

    await cp(join(ROOT, "examples/suites/booking.json"), join(app, "booking.json"))
    const validate = ["suites", "validate", "booking.json", "--database", "sqlite:./calls.db", "--agent", "1", "--json"]
    const validated = await earshot(...validate)
    expect(validated).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.parse(validated.stdout)).toMatchObject({ valid: true, plan: { suite_name: "Booking" } })
    expect(await node("node_modules/.bin/earshot-conformance", "--list")).toMatchObject({ exitCode: 0, stderr: "" })
  })

  it("are used by a program in one file, bundled as the README says, with redaction, custom code and readers", async () => {
    await mkdir(join(app, "src"))
    await writeFile(join(app, "src/parts.ts"), "export const fields = ['email_address', 'person_name'] as const\n")
    await writeFile(join(app, "src/main.ts"), BUNDLED)
    const readme = await readFile(join(ROOT, "packages/http-adapter/README.md"), "utf8")
    const options = /^npx esbuild (.*)$/m.exec(readme)?.[1]?.split(" ") ?? []
    const esbuild = join(ROOT, "packages/cli-adapter/node_modules/.bin/esbuild")
    expect(await run(esbuild, ...options, "--log-level=warning")).toEqual({ exitCode: 0, stdout: "", stderr: "" })
    const { exitCode, stderr, stdout } = await node("dist/main.js")
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(JSON.parse(stdout)).toEqual({
      transcript: "[00:00] Testing Agent: I am [PERSON_NAME], [EMAIL_ADDRESS].",
      metrics: [42],
      calls: 1
    })
    // The part of the program is inside, and no package is.
    const bundle = await readFile(join(app, "dist/main.js"), "utf8")
    expect(bundle).not.toMatch(/from "\.\//)
    expect(bundle.length).toBeLessThan(5_000)
  })

  it("serve the API, its documentation and the web app", async () => {
    await writeFile(
      join(app, "serve.js"),
      `import { createEngine } from "@earshot/core/promise"
       import { earshotFetch } from "@earshot/http-adapter"
       const engine = await createEngine({ database: "sqlite::memory:" })
       const earshot = await earshotFetch(await engine.runtime(), { logLevel: "error" })
       for (const path of ["/health", "/openapi.json", "/docs", "/app"]) {
         const response = await earshot.fetch(new Request("http://localhost" + path))
         await response.arrayBuffer()
         console.log(path, response.status, response.headers.get("content-type").split(";")[0])
       }
       await earshot.close()
       await engine.close()`
    )
    const { stderr, stdout } = await node("serve.js")
    expect({ stderr, lines: stdout.trim().split("\n") }).toEqual({
      stderr: "",
      lines: [
        "/health 200 application/json",
        "/openapi.json 200 application/json",
        "/docs 200 text/html",
        "/app 200 text/html"
      ]
    })
  })

  it("have types that compile with strict settings, as do the programs of the READMEs", async () => {
    const programs = (
      await Promise.all([
        programsOf("README.md"),
        programsOf("packages/core/README.md").then((all) => [...all.slice(0, 1), ...all.slice(2, 3)]),
        programsOf("packages/client/README.md").then((all) => all.slice(0, 1)),
        programsOf("packages/http-adapter/README.md").then((all) => all.slice(0, 1)),
        programsOf("packages/test-kit/README.md")
      ])
    ).flat()
    const specifiers = (await Promise.all(packed.map(specifiersOf))).flat().filter((one) => !one.endsWith(".json"))
    const exported = specifiers.map((one, i) => `export * as a${i} from "${one}"`).join("\n")
    const types = join(app, "types")
    await mkdir(types)
    for (const [i, code] of [exported, ...programs].entries()) await writeFile(join(types, `program${i}.ts`), code)
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      strict: true,
      exactOptionalPropertyTypes: true,
      // The check above finds what declarations import; checking those of all libraries takes five times as long.
      skipLibCheck: true,
      types: ["node"],
      noEmit: true
    }
    await writeFile(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["types"] }))
    expect(await node(join(ROOT, "scripts/tsc.mjs"), "-p", app)).toEqual({ exitCode: 0, stdout: "", stderr: "" })
  })

  it("load only what every program needs when the engine is imported, and the other packages at their first use", async () => {
    const hook =
      'import { writeSync } from "node:fs"; export const load = (url, context, next) => (writeSync(1, url + "\\n"), next(url, context))'
    await writeFile(
      join(app, "loaded.mjs"),
      `import { register } from "node:module"
       register(${JSON.stringify(dataUrl(hook))})
       await import("@earshot/core/promise")`
    )
    const { exitCode, stderr, stdout } = await node("loaded.mjs")
    expect(exitCode, stderr).toBe(0)
    // A few entries and the chunks that they share, not each module of the sources.
    const own = stdout.match(/^.*\/node_modules\/@earshot\/.*/gm) ?? []
    expect(own.length).toBeLessThan(60)
    const loaded = Array.from(stdout.matchAll(/^.*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm), ([, name]) => name)
    expect([...new Set(loaded)].sort()).toEqual([
      "@bufbuild/protobuf",
      "@earshot/core",
      "@earshot/redaction",
      "@effect/experimental",
      "@effect/platform",
      "@effect/sql",
      "ajv",
      "effect",
      "fast-check",
      "ipaddr.js",
      "jsonc-parser",
      "libphonenumber-js",
      "pure-rand",
      "re2js"
    ])
  })
})

/** The files of a package without a problem. */
const sound: Readonly<Record<string, string>> = {
  "dist/index.js": 'import * as Effect from "effect/Effect"\nexport { a } from "./a.js"\nexport const b = Effect\n',
  "dist/index.d.ts": 'export { a } from "./a.js"\n',
  "dist/a.js":
    'export const a = new URL("../data/a.bin", import.meta.url)\nexport const later = () => import("./later.js")\n',
  "dist/a.d.ts": "export declare const a: URL\n",
  "dist/later.js": 'import { readFile } from "node:fs/promises"\nexport const later = readFile\n',
  "dist/parts/one.js": "export const one = 1\n",
  "data/a.bin": "a",
  "bin/run.js": 'import "../dist/index.js"\n'
}
const manifest = {
  name: "@earshot/sound",
  version: "1.0.0",
  exports: {
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./parts/*": { default: "./dist/parts/*.js" }
  },
  bin: { run: "./bin/run.js" },
  dependencies: { effect: "3.0.0" }
}

/** The problems of the package, without some files and with other properties in its manifest. */
const problemsWith = async (change: {
  readonly without?: string
  readonly manifest?: Partial<Packed["manifest"]>
}): Promise<ReadonlyArray<string>> => {
  const made = await mkdtemp(join(folder, "made-"))
  for (const [file, text] of Object.entries(sound)) {
    if (file === change.without) continue
    await mkdir(join(made, file, ".."), { recursive: true })
    await writeFile(join(made, file), text)
  }
  return problemsOf({ folder: made, manifest: { ...manifest, ...change.manifest }, workspace: made })
}

describe("the check of an archive", () => {
  it("accepts a package that is complete", async () => {
    expect(await problemsWith({})).toEqual([])
  })

  it("reports what a package leaves out of its files", async () => {
    for (const [without, problem] of [
      ["dist/later.js", "dist/a.js imports ./later.js, which is not in the archive"],
      ["dist/a.d.ts", "dist/index.d.ts imports ./a.js, which is not in the archive"],
      ["data/a.bin", "dist/a.js opens ../data/a.bin, which is not in the archive"],
      ["bin/run.js", "run names ./bin/run.js, which is not in the archive"],
      ["dist/parts/one.js", "./parts/* names ./dist/parts/*.js, which is not in the archive"]
    ] as const) {
      expect(await problemsWith({ without })).toEqual([problem])
    }
  })

  it("reports dependencies that are not declared", async () => {
    expect(await problemsWith({ manifest: { dependencies: {} } })).toEqual([
      "dist/index.js imports effect, which is not declared"
    ])
  })

  it("reports exports of files that do not exist", async () => {
    expect(await problemsWith({ manifest: { exports: { "./wrong": { default: "./dist/wrong.js" } } } })).toEqual([
      "./wrong names ./dist/wrong.js, which is not in the archive"
    ])
  })
})
