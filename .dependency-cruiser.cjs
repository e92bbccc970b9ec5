// Who may import whom, as docs/decisions/0002 explains it. `scripts/imports.test.ts` breaks every rule once.
const { readdirSync, readFileSync, statSync } = require("node:fs")
const { join } = require("node:path")

const CORE = "packages/core/src"

/**
 * The layers of the engine, lowest first: a folder imports from lower layers and from itself. Within a layer the folders
 * are in groups: a later group may import an earlier one (every credit and job belongs to a tenant, so both need access;
 * metrics, checkouts and the rest of layer 3 refer to agents and projects; calls are ingested from platforms' envelopes and from traces; storage and providers implement the ports of
 * everything else), and folders of one group never import each other.
 */
const LAYERS = [
  [["kernel"], ["transcripts", "language"]],
  [
    ["access", "filters"],
    ["credits", "jobs"]
  ],
  [["catalog"], ["metrics", "analytics", "checkouts"]],
  [["results", "evaluators", "platforms", "dashboards", "simplification"], ["calls"], ["traces"]],
  [
    ["suites", "simulation"],
    ["storage", "providers"]
  ]
]
const GROUPS = LAYERS.flatMap((groups, index) => groups.map((folders) => ({ layer: index + 1, folders })))
const FOLDERS = LAYERS.flat(2)

const oneOf = (names) => `(?:${names.join("|")})`
const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

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
 * The kind of a file follows from its content: a service or a port declares a tag with effects in it, and what runs
 * effects imports Effect or its like. Everything else is a noun, a rule or an error.
 */
const coreFiles = sourceFiles(CORE).map((path) => ({ path, text: readFileSync(path, "utf8") }))
const anyOf = (files) => (files.length === 0 ? "^(?!)" : `^${oneOf(files.map((file) => escapeRegExp(file.path)))}$`)
const declaresTag = (file) => /\bContext\.Tag\(/.test(file.text)
const usesEffect = (file) => /from "effect\/Effect"/.test(file.text)
const runsEffects = (file) => /from "effect\/(?:Effect|Layer|Context|Stream|Runtime|ManagedRuntime)"/.test(file.text)
const isIndex = (file) => file.path.endsWith("/index.ts")
const servicesAndPorts = coreFiles.filter(
  (file) => declaresTag(file) && usesEffect(file) && !file.path.startsWith(`${CORE}/kernel/`)
)
const pureFiles = coreFiles.filter((file) => !runsEffects(file) && !declaresTag(file) && !isIndex(file))

const PRODUCTION = "^packages/(?!test-kit/)[^/]+/(?:src|bin)/"

/** The files behind the package's `exports`. */
const CORE_ENTRIES = `^${CORE}/(?:index|promise|storage/(?:sqlite|postgres|clickhouse)/index|providers/[^/]+)\\.ts$`
/** Beside the files that compose layers, the commands that copy an SQLite file: they run no engine. */
const WIRING = `^packages/(?:core/src/(?:ColumnStores|Database|Engine|promise|index)|cli-adapter/src/(?:bin|NamedEntities|actions/Backup))\\.ts$`

const layerRules = GROUPS.flatMap(({ folders, layer }, position) =>
  folders.map((folder) => ({
    name: `layer-${layer}-${folder}`,
    comment: `${folder}/ imports from lower layers and from itself.`,
    severity: "error",
    from: { path: `^${CORE}/${folder}/` },
    to: {
      path: `^${CORE}/`,
      pathNot: `^${CORE}/${oneOf([folder, ...GROUPS.slice(0, position).flatMap((group) => group.folders)])}/`
    }
  }))
)

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "No import cycles; types count, since people read those first.",
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
      comment:
        "Production code imports only dependencies that its package declares. The command and the web app are bundled: their dependencies are what is not in the bundle.",
      severity: "error",
      from: { path: PRODUCTION, pathNot: "^packages/(?:cli-adapter|web)/src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["npm-peer", "type-only"]
      }
    },

    ...layerRules,
    {
      name: "folders-have-layers",
      comment: "A new folder is added to LAYERS above.",
      severity: "error",
      from: { path: `^${CORE}/[^/]+/`, pathNot: `^${CORE}/${oneOf(FOLDERS)}/` },
      to: {}
    },
    {
      name: "stores-belong-to-their-subject",
      comment: "A subject uses another's service, never its store: permissions and rules live in the service.",
      severity: "error",
      // Storage and providers implement the ports.
      from: { path: `^${CORE}/([^/]+)/`, pathNot: `^${CORE}/(?:storage|providers)/` },
      to: { path: `^${CORE}/[^/]+/[^/]*Store\\.ts$`, pathNot: `^${CORE}/$1/` }
    },
    {
      name: "index-is-for-other-packages",
      comment: "Inside the engine, import the declaring file: an index would bring stores along.",
      severity: "error",
      from: { path: `^${CORE}/[^/]+/` },
      to: { path: `^${CORE}/(?:.*/|)index\\.ts$` }
    },
    {
      name: "rules-import-no-services",
      comment: "Nouns, rules and errors are pure: what they need comes as an argument.",
      severity: "error",
      from: { path: anyOf(pureFiles), pathNot: `^${CORE}/(?:storage/|providers/|[^/]+\\.ts$)` },
      to: { path: anyOf(servicesAndPorts) }
    },
    {
      name: "rules-run-no-effects",
      comment: "Rules, transcripts and filters are synchronous functions that return Either.",
      severity: "error",
      from: { path: `^${CORE}/(?:(?:transcripts|filters)/|.*Rules?\\.ts$)` },
      to: { path: effectModules("Effect", "Layer", "Context", "Clock", "Random", "Stream") }
    },

    {
      name: "only-storage-uses-sql",
      comment: "SQL is written once, in storage/sql.",
      severity: "error",
      from: { path: PRODUCTION, pathNot: `^${CORE}/(?:storage/|Engine\\.ts$)` },
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
      name: "clickhouse-driver-in-storage-clickhouse",
      comment: "The drivers are optional: only their own sub-path may load them.",
      severity: "error",
      from: { path: `${PRODUCTION}|^examples/src/`, pathNot: `^${CORE}/storage/clickhouse/` },
      to: { path: npm("@clickhouse/client", "chdb") }
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
        "Databases and providers are chosen in Engine.ts, Database.ts, promise.ts, a bin.ts and NamedEntities.ts; everything else uses services.",
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
      name: "core-imports-no-adapter",
      severity: "error",
      comment: "Adapters import the engine, and the command imports the server; never the other way.",
      from: { path: `^${CORE}/` },
      to: { path: "^packages/(?:http|cli)-adapter/" }
    },
    {
      name: "server-imports-no-command",
      severity: "error",
      comment: "Adapters import the engine, and the command imports the server; never the other way.",
      from: { path: "^packages/http-adapter/src/" },
      to: { path: "^packages/cli-adapter/" }
    },
    {
      name: "web-knows-the-client-alone",
      severity: "error",
      comment: "The web app talks to the server by @earshot/client, as any other client does.",
      from: { path: "^packages/web/src/" },
      to: { path: "^packages/(?!web/|client/)" }
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
      comment: "Other packages import what @earshot/core exports, never a file inside.",
      from: { path: "^(?:packages/(?!core/)|examples/|bench/|scripts/)" },
      to: { path: `^${CORE}/`, pathNot: CORE_ENTRIES }
    },
    {
      name: "packages-by-their-names",
      severity: "error",
      comment: "A path out of the package does not exist once it is published.",
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
