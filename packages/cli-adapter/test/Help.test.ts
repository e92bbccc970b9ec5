import { describe, expect, it } from "@effect/vitest"
import { commandsOf, help, named, valuedOptions } from "../src/Help.js"
import { displayWidth } from "../src/Text.js"

const subjects = ["projects", "agents", "evaluators", "personalities", "profiles", "phone-numbers", "tools", "folders"]
const groups = [
  ...["calls", "suites", "results", "runs", "dashboards", ...subjects, "metrics", "prompts", "jobs"],
  ...["keys", "links", "tokens", "connections", "organizations"]
]
const paths = commandsOf("").flatMap((name) =>
  groups.includes(name) ? [name, ...commandsOf(name).map((one) => `${name} ${one}`)] : [name]
)

describe("help", () => {
  it("knows every command", () => {
    expect(paths).toEqual([
      ...["demo", "init", "serve"],
      ...["calls", "calls ingest", "calls list", "calls show", "calls scores", "calls evaluate", "calls export"],
      ...["suites", "suites validate", "suites run"],
      ...["results", "results list", "results show", "results compare", "results export", "results cancel"],
      ...["results delete", "runs", "runs list", "runs show", "runs cancel", "runs delete"],
      "redact",
      ...["dashboards", "dashboards list", "dashboards show"],
      ...subjects.flatMap((subject) => [
        subject,
        ...["list", "show", "create", "update", "delete"].map((verb) => `${subject} ${verb}`),
        ...(subject === "evaluators" ? ["evaluators bulk-update"] : []),
        ...(subject === "personalities" ? ["personalities enable"] : [])
      ]),
      ...["metrics", "metrics predefined", "metrics list", "metrics show"],
      ...["prompts", "prompts simplify"],
      ...["jobs", "jobs list", "jobs retry", "jobs run"],
      ...["keys", "keys create", "keys list", "keys revoke"],
      ...["links", "links create", "links list", "links revoke"],
      ...["tokens", "tokens issue", "tokens revoke"],
      ...["connections", "connections create", "connections list", "connections test"],
      ...["connections activate", "connections revoke", "connections reseal", "checkout"],
      ...["organizations", "organizations list"]
    ])
  })

  it.each(["", ...paths])("of `earshot %s` says what each thing is, within the screen", (path) => {
    for (const columns of [60, 72, 80, 120]) {
      const lines = help(path, { columns, colour: false })
      expect(lines[0]).not.toBe("")
      expect(lines.find((line) => line.startsWith("Usage"))).toContain(`earshot ${path}`.trim())
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThanOrEqual(columns)
        expect(line).toBe(line.trimEnd())
      }
      const text = lines.join(" ")
      expect(text).not.toMatch(/user-defined|This setting|may be repeated|true or false/)
      // An option or a command that nothing is said of would stand alone before the next one.
      expect(lines.filter((line, at) => /^ {2}\S+$/.test(line) && /^ {2}\S/.test(lines[at + 1] ?? ""))).toEqual([])
    }
  })

  it("reads like this", () => {
    expect(help("keys revoke", { columns: 72, colour: false })).toEqual([
      "Refuses a key from now on.",
      "",
      "Usage  earshot keys revoke ID [OPTIONS]",
      "",
      "Arguments",
      "  ID  The key's id.",
      "",
      "Options",
      "  --database ADDRESS  Where the data is: sqlite:PATH or",
      "                      postgres://user:password@host:port/name. Also",
      "                      EARSHOT_DATABASE; sqlite:./earshot.db unless told.",
      "  --json              Print JSON instead of text, and faults as JSON",
      "                      too.",
      "  --organization ID   Act as the host, with every permission, for this",
      "                      organisation. It can be left out where there is",
      "                      only one.",
      "  --api-key KEY       Act as the holder of this API key, with its",
      "                      permissions. Also EARSHOT_API_KEY."
    ])
  })

  it("lists the words that an option may have", () => {
    const lines = help("runs list", { columns: 100, colour: false }).join(" ").replace(/\s+/g, " ")
    expect(lines).toContain(
      "--status STATUS Runs in this state alone. One of queued, running, evaluating, completed, failed, timeout, cancelled."
    )
    expect(help("results compare", { columns: 100, colour: false }).join("\n")).toMatch(
      /^ {2}--tolerance N +What difference counts as none, 0 to 1; 0 unless told\.$/m
    )
  })

  it("finds the command that words name", () => {
    expect(named(["calls", "list", "--limit", "3"])).toEqual({
      path: "calls list",
      group: false,
      unknown: undefined,
      stray: undefined
    })
    for (const level of [["--log-level", "debug"], ["--log-level=debug"]]) {
      expect(named([...level, "calls"])).toMatchObject({ path: "calls", group: true, unknown: undefined })
    }
    expect(named(["calls", "lst"])).toMatchObject({ path: "calls", group: true, unknown: "lst" })
    expect(named(["constructor"])).toMatchObject({ path: "", group: true, unknown: "constructor" })
    expect(named(["calls", "--organization", "1", "list"])).toEqual({
      path: "calls",
      group: true,
      unknown: undefined,
      stray: "--organization"
    })
    expect(valuedOptions("init")).toEqual(["--database", "--organization"])
  })
})
