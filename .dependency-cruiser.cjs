// Who may import whom, as docs/decisions/0002 explains it. `scripts/imports.test.ts` breaks every rule once.
const { readdirSync, readFileSync, statSync } = require("node:fs")
const { join } = require("node:path")

const CORE = "packages/core/src"

/** The floors of the house: a folder imports from lower floors and from itself, never sideways or upwards. */
const FLOORS = [
  ["kernel"],
  ["transcripts", "language"],
  ["access", "filters"],
  ["credits", "jobs"],
  ["catalog"],
  ["metrics", "analytics", "checkouts"],
  ["evaluators", "calls", "dashboards", "simplification", "results"],
  ["suites", "simulation"],
  ["storage", "providers"]
]
const FOLDERS = FLOORS.flat()

const oneOf = (names) => `(?:${names.join("|")})`
const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** A package by its name, wherever it is installed; a name that resolves to nothing keeps it. */
const npm = (...names) => `(?:^|/node_modules/)${oneOf(names)}(?:/|$)`
const effectModules = (...names) =>
  `(?:^|/node_modules/)effect/(?:|dist/esm/|dist/cjs/|dist/dts/)${oneOf(names)}(?:|\\.js|\\.d\\.ts)$`

const sourceFiles = (folder) => {
  let names
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? sourceFiles(path) : path.endsWith(".ts") ? [path.replaceAll("\\", "/")] : []
  })
}

/**
 * Rooms are told apart by what a file holds: a service or a port declares a tag with effects in it, and what runs
 * steps imports Effect or its like. Everything else is a noun, a rule or an error.
 */
const coreFiles = sourceFiles(CORE).map((path) => ({ path, text: readFileSync(path, "utf8") }))
const exactly = (files) => (files.length === 0 ? "^(?!)" : `^${oneOf(files.map((file) => literally(file.path)))}$`)
const declaresTag = (file) => /\bContext\.Tag\(/.test(file.text)
const hasSteps = (file) => /from "effect\/Effect"/.test(file.text)
const runsSteps = (file) => /from "effect\/(?:Effect|Layer|Context|Stream|Runtime|ManagedRuntime)"/.test(file.text)
const isIndex = (file) => file.path.endsWith("/index.ts")
const servicesAndPorts = coreFiles.filter(
  (file) => declaresTag(file) && hasSteps(file) && !file.path.startsWith(`${CORE}/kernel/`)
)
const pureFiles = coreFiles.filter((file) => !runsSteps(file) && !declaresTag(file) && !isIndex(file))

const PRODUCTION = "^packages/(?!test-kit/)[^/]+/(?:src|bin)/"

/** The files behind the package's `exports`. */
const CORE_ENTRIES = `^${CORE}/(?:index|promise|storage/(?:sqlite|postgres)/index|providers/[^/]+)\\.ts$`
const WIRING = `^packages/(?:core/src/(?:Database|Engine|promise|index)|cli-adapter/src/bin)\\.ts$`

const floorRules = FLOORS.flatMap((floor, number) =>
  floor.map((folder) => ({
    name: `floor-${number}-${folder}`,
    comment: `${folder}/ imports from lower floors and from itself.`,
    severity: "error",
    from: { path: `^${CORE}/${folder}/` },
    to: {
      path: `^${CORE}/`,
      pathNot: `^${CORE}/${oneOf([folder, ...FLOORS.slice(0, number).flat()])}/`
    }
  }))
)

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A circle of imports has no order in which it can be read; types count, since people read those first.",
      severity: "error",
      from: {},
      to: { circular: true }
    },
    {
      name: "no-unresolved",
      comment: "Only what a package exports can be imported from it, under the name it exports.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true }
    },
    {
      name: "declared-dependencies",
      comment: "What runs in production is a dependency of the package that imports it.",
      severity: "error",
      from: { path: PRODUCTION },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["npm-peer", "type-only"]
      }
    },

    ...floorRules,
    {
      name: "folders-have-floors",
      comment: "A new subject takes its floor in the table above before it imports anything.",
      severity: "error",
      from: { path: `^${CORE}/[^/]+/`, pathNot: `^${CORE}/${oneOf(FOLDERS)}/` },
      to: {}
    },
    {
      name: "stores-belong-to-their-subject",
      comment: "A subject asks another's service, never its store: permissions and rules live in the service.",
      severity: "error",
      // Storage and providers are where ports are answered.
      from: { path: `^${CORE}/([^/]+)/`, pathNot: `^${CORE}/(?:storage|providers)/` },
      to: { path: `^${CORE}/[^/]+/[^/]*Store\\.ts$`, pathNot: `^${CORE}/$1/` }
    },
    {
      name: "index-is-for-the-outside",
      comment: "Inside the engine, import the file that holds the thing: an index would carry stores along.",
      severity: "error",
      from: { path: `^${CORE}/[^/]+/` },
      to: { path: `^${CORE}/(?:.*/|)index\\.ts$` }
    },
    {
      name: "rules-know-no-services",
      comment: "Nouns, rules and errors are pure: what they need to know comes as an argument.",
      severity: "error",
      from: { path: exactly(pureFiles), pathNot: `^${CORE}/(?:storage/|providers/|[^/]+\\.ts$)` },
      to: { path: exactly(servicesAndPorts) }
    },
    {
      name: "rules-run-no-steps",
      comment: "Rules, transcripts and filters are synchronous functions that answer Either.",
      severity: "error",
      from: { path: `^${CORE}/(?:(?:transcripts|filters)/|.*Rules?\\.ts$)` },
      to: { path: effectModules("Effect", "Layer", "Context", "Clock", "Random", "Stream") }
    },

    {
      name: "only-storage-speaks-sql",
      comment: "SQL is written once, in storage/sql; the job engine brings its own tables.",
      severity: "error",
      from: { path: PRODUCTION, pathNot: `^${CORE}/(?:storage/|jobs/|Engine\\.ts$)` },
      to: { path: npm("@effect/sql") }
    },
    {
      name: "sqlite-driver-in-storage-sqlite",
      comment: "The drivers are optional: only their own sub-path may load them.",
      severity: "error",
      from: { path: `${PRODUCTION}|^examples/src/`, pathNot: `^${CORE}/storage/sqlite/` },
      to: { path: npm("@effect/sql-sqlite-node", "better-sqlite3") }
    },
    {
      name: "postgres-driver-in-storage-postgres",
      comment: "The drivers are optional: only their own sub-path may load them.",
      severity: "error",
      from: { path: `${PRODUCTION}|^examples/src/`, pathNot: `^${CORE}/storage/postgres/` },
      to: { path: npm("@effect/sql-pg", "pg") }
    },
    {
      name: "wiring-in-few-places",
      comment:
        "Databases and providers are chosen in Engine.ts, Database.ts, promise.ts and a bin.ts; all else asks for services.",
      severity: "error",
      from: { path: PRODUCTION, pathNot: `^${CORE}/(?:storage|providers)/|${WIRING}` },
      to: { path: `^${CORE}/(?:Engine\\.ts$|storage/|providers/)` }
    },

    {
      name: "test-kit-stays-in-tests",
      comment: "Production code never imports the test kit.",
      severity: "error",
      from: { path: PRODUCTION },
      to: { path: `^packages/test-kit/|${npm("@earshot/test-kit")}` }
    },
    {
      name: "core-knows-no-adapter",
      severity: "error",
      comment: "The adapters stand on the engine, and the command on the server.",
      from: { path: `^${CORE}/` },
      to: { path: "^packages/(?:http|cli)-adapter/" }
    },
    {
      name: "server-knows-no-command",
      severity: "error",
      comment: "The adapters stand on the engine, and the command on the server.",
      from: { path: "^packages/http-adapter/src/" },
      to: { path: "^packages/cli-adapter/" }
    },
    {
      name: "redaction-knows-no-engine",
      severity: "error",
      comment: "@earshot/redaction is usable alone: it imports no other package of this workspace.",
      from: { path: "^packages/redaction/src/" },
      to: { path: "^packages/(?!redaction/)" }
    },
    {
      name: "redaction-by-its-exports",
      severity: "error",
      comment: "Other packages see what @earshot/redaction exports, never a file inside.",
      from: { path: "^(?:packages/(?!redaction/)|examples/|bench/|scripts/)" },
      to: { path: "^packages/redaction/src/", pathNot: "^packages/redaction/src/(?:audio/)?index\\.ts$" }
    },
    {
      name: "packages-by-their-exports",
      severity: "error",
      comment: "Other packages see what @earshot/core exports, never a file inside.",
      from: { path: "^(?:packages/(?!core/)|examples/|bench/|scripts/)" },
      to: { path: `^${CORE}/`, pathNot: CORE_ENTRIES }
    },
    {
      name: "packages-by-their-names",
      severity: "error",
      comment: "A path out of the package would not hold once it is published.",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: "^packages/$1/", dependencyTypes: ["local"] }
    }
  ],
  options: {
    // Imports of types count as much as imports of values.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    doNotFollow: { path: "(?:^|/)node_modules/" },
    exclude: { path: "^(?:packages/[^/]+|examples|bench|scripts)/dist/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@earshot/source", "import", "node", "default", "types"],
      mainFields: ["module", "main", "types"]
    }
  }
}
