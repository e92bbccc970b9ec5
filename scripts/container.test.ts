/** The container image, as far as it shows without a container engine. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string) => readFileSync(join(ROOT, path), "utf8")

interface Instruction {
  readonly name: string
  readonly value: string
}

/** The instructions of each stage, continued lines joined and comments left out. */
const stages = (): ReadonlyArray<ReadonlyArray<Instruction>> => {
  const all: Array<Array<Instruction>> = []
  const lines = read("Dockerfile")
    .split("\n")
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    expect(name, `an instruction: ${line}`).not.toBe("")
    if (name === "FROM") all.push([])
    all.at(-1)?.push({ name, value })
  }
  return all
}

const valuesOf = (stage: ReadonlyArray<Instruction> | undefined, name: string): ReadonlyArray<string> =>
  (stage ?? []).filter((one) => one.name === name).map(({ value }) => value)

interface Service {
  readonly image: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly tmpfs?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly profiles?: ReadonlyArray<string>
  readonly volumes: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string | null>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
}

describe("Dockerfile", () => {
  const [build, run] = stages()

  it("has a stage that builds and one that runs, of the same version of Node", () => {
    expect(stages()).toHaveLength(2)
    expect(valuesOf(build, "FROM")).toEqual(["node:${NODE_VERSION}-bookworm AS build"])
    expect(valuesOf(run, "FROM")).toEqual(["node:${NODE_VERSION}-bookworm-slim"])
    const [, version] = /^ARG NODE_VERSION=(\d+)$/m.exec(read("Dockerfile")) ?? []
    const { engines, packageManager } = JSON.parse(read("package.json")) as {
      readonly engines: { readonly node: string }
      readonly packageManager: string
    }
    expect(engines.node).toContain(`>=${version}.`)
    expect(valuesOf(build, "RUN")).toContain(`npm install --global ${packageManager}`)
  })

  it("downloads by the lock file before the sources are copied, and installs by it", () => {
    const steps = (build ?? []).map(({ name, value }) => `${name} ${value}`)
    const fetched = steps.indexOf("RUN pnpm fetch")
    const [files = "", sources] = steps.filter((step) => step.startsWith("COPY "))
    expect(steps.indexOf(files)).toBeLessThan(fetched)
    expect(fetched).toBeLessThan(steps.indexOf("COPY . ."))
    expect(sources).toBe("COPY . .")
    for (const file of files.split(" ").slice(1, -1)) expect(existsSync(join(ROOT, file)), file).toBe(true)
    for (const [install] of valuesOf(build, "RUN")
      .join("\n")
      .matchAll(/pnpm install[^&\n]*/g)) {
      expect(install).toContain("--frozen-lockfile --offline")
    }
  })

  it("copies everything that the packages publish", () => {
    const copied = valuesOf(run, "COPY").map((value) => value.split(" ")[1]?.replace(/\/$/, ""))
    const published = ["cli-adapter", "web"].flatMap((name) => {
      const { files } = JSON.parse(read(`packages/${name}/package.json`)) as { readonly files: ReadonlyArray<string> }
      return ["package.json", ...files.filter((file) => file !== "README.md")].map(
        (file) => `/src/packages/${name}/${file}`
      )
    })
    expect(copied.toSorted()).toEqual(
      [...published, "/src/node_modules", "/src/packages/cli-adapter/node_modules"].toSorted()
    )
  })

  it("runs as a user without rights, from a folder that is a volume, with a health check of the server's port", () => {
    const steps = (run ?? []).map(({ name }) => name)
    expect(valuesOf(run, "USER")).toEqual(["node"])
    expect(steps.slice(steps.indexOf("USER"))).not.toContain("RUN")
    expect(valuesOf(run, "VOLUME")).toEqual(["/data"])
    expect(valuesOf(run, "WORKDIR")).toEqual(["/data"])
    const [port] = valuesOf(run, "EXPOSE")
    expect(JSON.parse(valuesOf(run, "CMD")[0] ?? "")).toEqual(["serve", "--host", "0.0.0.0", "--port", port])
    expect(JSON.parse(valuesOf(run, "ENTRYPOINT")[0] ?? "")).toEqual(["earshot"])
    const [check = ""] = valuesOf(run, "HEALTHCHECK")
    expect(check).toContain(`http://127.0.0.1:${port}/ready`)
    expect(JSON.parse(/CMD (\[.*\])$/.exec(check)?.[1] ?? "")).toHaveLength(3)
  })

  it("leaves out of the build what it makes, histories and databases", () => {
    const ignored = read(".dockerignore").split("\n")
    for (const line of [".git", "**/node_modules", "**/dist", "**/*.db", "**/*.key"]) expect(ignored).toContain(line)
    const manifests = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/package.json`)
    for (const file of manifests) expect(existsSync(join(ROOT, file)), file).toBe(true)
  })
})

describe("compose.yaml", () => {
  // The library that the engine reads suites with.
  const { parse } = createRequire(join(ROOT, "packages/core/package.json"))("yaml") as {
    readonly parse: (text: string, options: { readonly merge: boolean }) => unknown
  }
  const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: Readonly<Record<string, unknown>>
  }

  it("starts one service without a profile, and PostgreSQL with one", () => {
    const profiles = Object.fromEntries(Object.entries(services).map(([name, service]) => [name, service.profiles]))
    expect(profiles).toEqual({ earshot: undefined, "earshot-postgres": ["postgres"], postgres: ["postgres"] })
  })

  it.each(["earshot", "earshot-postgres"])("restricts %s, and publishes it on this machine alone", (name) => {
    const service = services[name]
    expect(service).toMatchObject({ user: "1000:1000", read_only: true, cap_drop: ["ALL"], tmpfs: ["/tmp"] })
    expect(service?.ports).toEqual(["127.0.0.1:8080:8080"])
    expect(service?.volumes.map((volume) => volume.split(":")[1])).toEqual(["/data"])
  })

  it("keeps state in named volumes, and waits for a healthy database", () => {
    const used = Object.values(services).flatMap((service) => service.volumes.map((volume) => volume.split(":")[0]))
    expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted())
    expect(services["earshot-postgres"]?.depends_on).toEqual({ postgres: { condition: "service_healthy" } })
    expect(services.postgres?.healthcheck?.test).toContain("pg_isready")
    expect(services["earshot-postgres"]?.environment?.EARSHOT_DATABASE).toMatch(/^postgres:\/\/.*@postgres\/earshot$/)
    expect(services.earshot?.environment).not.toHaveProperty("EARSHOT_DATABASE")
  })
})
