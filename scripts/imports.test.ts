import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const CONFIG = join(ROOT, ".dependency-cruiser.cjs")
const require = createRequire(import.meta.url)

interface Config {
  readonly forbidden: ReadonlyArray<{ readonly name: string }>
}
const ruleNames = (require(CONFIG) as Config).forbidden.map((rule) => rule.name)

const CORE = "packages/core/src"
const tag = (name: string): string =>
  `import * as Context from "effect/Context"\nimport type * as Effect from "effect/Effect"\n` +
  `export class ${name} extends Context.Tag("${name}")<${name}, { readonly run: Effect.Effect<void> }>() {}\n`
const uses = (...specifiers: ReadonlyArray<string>): string =>
  specifiers.map((specifier, i) => `import * as I${i} from "${specifier}"\nexport const u${i} = I${i}\n`).join("")

/** A small workspace that complies with every rule. */
const allowed: Readonly<Record<string, string>> = {
  "packages/core/package.json": JSON.stringify({
    name: "@earshot/core",
    exports: {
      ".": { "@earshot/source": "./src/index.ts" },
      "./sqlite": { "@earshot/source": "./src/storage/sqlite/index.ts" }
    },
    dependencies: { effect: "*", "@effect/sql": "*" },
    peerDependencies: { "@effect/sql-sqlite-node": "*", "@effect/sql-pg": "*" },
    devDependencies: { "@effect/sql-sqlite-node": "*", "@effect/sql-pg": "*", vitest: "*" }
  }),
  "packages/redaction/package.json": JSON.stringify({
    name: "@earshot/redaction",
    exports: { ".": { "@earshot/source": "./src/index.ts" } }
  }),
  "packages/http-adapter/package.json": JSON.stringify({
    name: "@earshot/http-adapter",
    exports: { ".": { "@earshot/source": "./src/index.ts" } },
    dependencies: { "@earshot/core": "*" }
  }),
  "packages/cli-adapter/package.json": JSON.stringify({
    name: "@earshot/cli-adapter",
    exports: { ".": { "@earshot/source": "./src/index.ts" } },
    dependencies: { "@earshot/core": "*", "@earshot/http-adapter": "*" }
  }),
  "packages/web/package.json": JSON.stringify({ name: "@earshot/web", devDependencies: { "@earshot/client": "*" } }),
  "packages/test-kit/package.json": JSON.stringify({
    name: "@earshot/test-kit",
    exports: { ".": { "@earshot/source": "./src/index.ts" } },
    dependencies: { "@earshot/core": "*", pg: "*" }
  }),
  [`${CORE}/kernel/Ids.ts`]: uses("effect/Schema"),
  [`${CORE}/catalog/Project.ts`]: uses("../kernel/Ids.js"),
  [`${CORE}/catalog/ProjectStore.ts`]: tag("ProjectStore") + uses("./Project.js"),
  [`${CORE}/catalog/Projects.ts`]: tag("Projects") + uses("./ProjectStore.js", "../kernel/Ids.js"),
  [`${CORE}/catalog/index.ts`]: uses("./Project.js", "./Projects.js"),
  [`${CORE}/dashboards/ChartRules.ts`]: uses("effect/Either", "../catalog/Project.js"),
  [`${CORE}/dashboards/Dashboards.ts`]: tag("Dashboards") + uses("../catalog/Projects.js", "./ChartRules.js"),
  [`${CORE}/dashboards/index.ts`]: uses("./Dashboards.js"),
  [`${CORE}/storage/sql/ProjectStoreSql.ts`]: uses("@effect/sql/SqlClient", "../../catalog/ProjectStore.js"),
  [`${CORE}/storage/sqlite/index.ts`]: uses("@effect/sql-sqlite-node/SqliteClient"),
  [`${CORE}/storage/postgres/index.ts`]: uses("@effect/sql-pg/PgClient"),
  [`${CORE}/calls/BlobStore.ts`]: tag("BlobStore"),
  [`${CORE}/providers/FileBlobStore.ts`]: uses("../calls/BlobStore.js"),
  [`${CORE}/jobs/Jobs.ts`]: uses("../kernel/Ids.js"),
  [`${CORE}/Engine.ts`]: uses("./catalog/Projects.js", "./storage/sql/ProjectStoreSql.js"),
  [`${CORE}/promise.ts`]: uses("./Engine.js", "./storage/sqlite/index.js"),
  [`${CORE}/index.ts`]: uses("./catalog/index.js", "./dashboards/index.js", "./Engine.js"),
  "packages/redaction/src/index.ts": uses("./Tokens.js"),
  "packages/redaction/src/Tokens.ts": "export {}\n",
  "packages/http-adapter/src/index.ts": uses("@earshot/core"),
  "packages/cli-adapter/src/index.ts": "export {}\n",
  "packages/cli-adapter/src/bin.ts": uses("@earshot/core", "@earshot/core/sqlite", "@earshot/http-adapter"),
  "packages/test-kit/src/index.ts": uses("@earshot/core", "@earshot/core/sqlite", "pg"),
  "packages/core/test/Projects.test.ts": uses("@earshot/core", "@earshot/test-kit", "vitest")
}

/** The other half of the cycle, which is reported once. */
const helperFiles: Readonly<Record<string, string>> = { [`${CORE}/filters/Round.ts`]: uses("./About.js") }

/** At least one violation of each rule: a file and what it imports. */
const violating: ReadonlyArray<readonly [rule: string, file: string, text: string]> = [
  ["no-cycles", `${CORE}/filters/About.ts`, `import type { u0 } from "./Round.js"\nexport type A = typeof u0\n`],
  ["no-unresolved", "packages/http-adapter/src/Deep.ts", uses("@earshot/core/src/kernel/Ids.js")],
  ["no-unresolved", `${CORE}/filters/Missing.ts`, uses("./Nowhere.js")],
  ["declared-dependencies", `${CORE}/filters/Dev.ts`, uses("vitest")],
  ["declared-dependencies", "packages/http-adapter/src/Undeclared.ts", uses("effect/Either")],

  // Every folder importing Engine.ts, then one layer up and one sideways.
  ...ruleNames.flatMap((rule) => {
    const folder = /^layer-\d+-(.*)$/.exec(rule)?.[1]
    return folder === undefined ? [] : [[rule, `${CORE}/${folder}/ImportsEngine.ts`, uses("../Engine.js")] as const]
  }),
  ["layer-1-kernel", `${CORE}/kernel/Up.ts`, uses("../catalog/Project.js")],
  ["layer-2-filters", `${CORE}/filters/Up.ts`, uses("../dashboards/ChartRules.js")],
  ["layer-3-metrics", `${CORE}/metrics/Aside.ts`, uses("../checkouts/ImportsEngine.js")],
  ["layer-3-catalog", `${CORE}/catalog/UpByType.ts`, `export type { u0 } from "../dashboards/ChartRules.js"\n`],
  ["folders-have-layers", `${CORE}/unlisted/File.ts`, uses("../kernel/Ids.js")],
  [
    "stores-belong-to-their-subject",
    `${CORE}/dashboards/Borrower.ts`,
    tag("Borrower") + uses("../catalog/ProjectStore.js")
  ],
  ["index-is-for-other-packages", `${CORE}/dashboards/ByIndex.ts`, uses("../catalog/index.js")],
  ["index-is-for-other-packages", `${CORE}/dashboards/ByRootIndex.ts`, uses("../index.js")],
  ["rules-import-no-services", `${CORE}/dashboards/Widget.ts`, uses("../catalog/Projects.js")],
  ["rules-import-no-services", `${CORE}/catalog/Agent.ts`, uses("./ProjectStore.js")],
  ["rules-run-no-effects", `${CORE}/dashboards/LayoutRules.ts`, uses("effect/Effect")],
  ["rules-run-no-effects", `${CORE}/transcripts/Waiting.ts`, uses("effect/Clock")],

  ["only-storage-uses-sql", `${CORE}/catalog/Direct.ts`, uses("@effect/sql/SqlClient")],
  ["only-storage-uses-sql", "packages/cli-adapter/src/Direct.ts", uses("@effect/sql/SqlClient")],
  ["sqlite-driver-in-storage-sqlite", `${CORE}/storage/sql/Sqlite.ts`, uses("@effect/sql-sqlite-node/SqliteClient")],
  ["sqlite-driver-in-storage-sqlite", "packages/cli-adapter/src/Native.ts", uses("better-sqlite3")],
  ["clickhouse-driver-in-storage-clickhouse", `${CORE}/storage/sql/Columns.ts`, uses("@clickhouse/client")],
  ["postgres-driver-in-storage-postgres", `${CORE}/Pg.ts`, uses("@effect/sql-pg/PgClient")],
  ["postgres-driver-in-storage-postgres", "examples/src/Pg.ts", uses("pg")],
  ["wiring-in-few-places", "packages/cli-adapter/src/Opens.ts", uses("@earshot/core/sqlite")],
  ["wiring-in-few-places", `${CORE}/Helper.ts`, uses("./storage/sql/ProjectStoreSql.js")],

  ["test-kit-stays-in-tests", "packages/http-adapter/src/Sample.ts", uses("@earshot/test-kit")],
  ["core-imports-no-adapter", `${CORE}/calls/Served.ts`, uses("@earshot/http-adapter")],
  ["server-imports-no-command", "packages/http-adapter/src/Command.ts", uses("@earshot/cli-adapter")],
  ["web-knows-the-client-alone", "packages/web/src/Engine.ts", uses("@earshot/core")],
  ["redaction-knows-no-engine", "packages/redaction/src/Engine.ts", uses("@earshot/core")],
  ["redaction-by-its-exports", "packages/test-kit/src/RedactionInside.ts", uses("../../redaction/src/Tokens.js")],
  ["packages-by-their-exports", "packages/test-kit/src/Inside.ts", uses("../../core/src/kernel/Ids.js")],
  ["packages-by-their-names", "packages/test-kit/src/ByPath.ts", uses("../../core/src/index.js")]
]

interface Cruised {
  readonly summary: {
    readonly violations: ReadonlyArray<{
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }>
  }
}

let workspace: string
let violations: Cruised["summary"]["violations"]

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), "earshot-imports-"))
  const files = {
    ...allowed,
    ...helperFiles,
    "tsconfig.base.json": "{}",
    "package.json": JSON.stringify({ name: "workspace", private: true }),
    ...Object.fromEntries(violating.map(([, file, text]) => [file, text]))
  }
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(workspace, dirname(file)), { recursive: true })
    await writeFile(join(workspace, file), text)
  }
  const installed = join(workspace, "node_modules")
  await mkdir(join(installed, "@earshot"), { recursive: true })
  await mkdir(join(installed, "@effect"))
  for (const own of ["redaction", "core", "http-adapter", "cli-adapter", "test-kit"]) {
    await symlink(join(workspace, "packages", own), join(installed, "@earshot", own))
  }
  for (const name of ["effect", "vitest", "pg", "@effect/sql", "@effect/sql-pg", "@effect/sql-sqlite-node"]) {
    await symlink(join(ROOT, "packages/test-kit/node_modules", name), join(installed, name))
  }
  await symlink(join(ROOT, "bench/node_modules/better-sqlite3"), join(installed, "better-sqlite3"))
  await mkdir(join(installed, "@clickhouse"))
  await symlink(join(ROOT, "packages/core/node_modules/@clickhouse/client"), join(installed, "@clickhouse/client"))

  const program = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
  const roots = ["redaction", "core", "http-adapter", "cli-adapter", "test-kit", "web"].map(
    (name) => `packages/${name}/src`
  )
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, ...roots, "packages/core/test", "examples/src", "--config", CONFIG, "--output-type", "json"],
    { cwd: workspace, maxBuffer: 64 * 1024 * 1024 }
  ).catch((failure: unknown) => failure as { stdout: string })
  violations = (JSON.parse(stdout) as Cruised).summary.violations
})

afterAll(() => rm(workspace, { recursive: true, force: true }))

describe("the import rules", () => {
  it("accept the allowed imports", () => {
    expect(violations.filter((violation) => violation.from in allowed)).toEqual([])
  })

  it.each(violating)("%s forbids %s", (rule, file) => {
    expect(violations.filter((violation) => violation.from === file).map((violation) => violation.rule.name)).toContain(
      rule
    )
  })

  it("each have a violation in this test", () => {
    expect(ruleNames.filter((name) => !violating.some(([rule]) => rule === name))).toEqual([])
  })
})
