import { describe, expect, it } from "@effect/vitest"
import { Command } from "commander"
import * as Effect from "effect/Effect"
import { command, idArgument, integer, list, textArguments, toggle, withDefault } from "../src/commands/Declare.js"
import { makeProgram } from "../src/Program.js"
import { displayWidth } from "../src/Text.js"
import { parse } from "./support/parse.js"

const pathsOf = (command: Command, parents: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  command.commands.flatMap((one) => {
    const path = [...parents, one.name()]
    return [path.join(" "), ...pathsOf(one, path)]
  })

const paths = pathsOf(
  makeProgram("1.2.3", () => Promise.resolve(), {
    out: () => undefined,
    err: () => undefined,
    columns: 80,
    color: false
  })
)

const resource = (name: string, ...others: ReadonlyArray<string>) => [
  name,
  ...["list", "show", "create", "update", "delete", ...others].map((verb) => `${name} ${verb}`)
]

describe("the help", () => {
  it("exists for every command", () => {
    expect(paths).toEqual([
      ...["demo", "init", "serve", "sign-in"],
      ...[
        "calls",
        "calls ingest",
        "calls import",
        "calls list",
        "calls facets",
        "calls show",
        "calls scores",
        "calls evaluate"
      ],
      ...["calls recording", "calls review", "calls delete", "calls export"],
      ...["integrations", "integrations create", "integrations list", "integrations update"],
      ...["integrations rotate", "integrations delete"],
      ...["traces", "traces list", "traces show"],
      ...resource("dashboards"),
      ...resource("widgets", "data", "preview"),
      ...["metrics", "metrics predefined", "metrics list", "metrics show", "metrics create", "metrics update"],
      ...["metrics delete", "metrics enable", "metrics disable", "metrics simplify"],
      "redact",
      ...["prompts", "prompts simplify"],
      ...["suites", "suites validate", "suites run"],
      ...[
        "results",
        "results list",
        "results show",
        "results compare",
        "results export",
        "results report",
        "results cancel"
      ],
      ...["results delete", "runs", "runs list", "runs show", "runs recording"],
      ...["runs cancel", "runs delete"],
      ...resource("evaluators", "bulk-update"),
      ...resource("personalities", "enable"),
      ...["profiles", "phone-numbers", "tools", "folders"].flatMap((name) => resource(name)),
      ...["organizations", "organizations list"],
      ...resource("projects"),
      ...resource("agents", "check-voice"),
      ...["keys", "keys create", "keys list", "keys revoke"],
      ...["links", "links create", "links list", "links revoke"],
      ...["tokens", "tokens issue", "tokens revoke"],
      ...["connections", "connections create", "connections list", "connections test"],
      ...["connections activate", "connections revoke", "checkout", "credits", "credits list", "credits totals"],
      ...["secrets", "secrets check", "secrets rotate", "secrets rotate-signing-key"],
      ...["recordings", "recordings check", "analytics", "analytics status", "analytics rebuild", "analytics verify"],
      ...["backup", "restore"],
      ...["jobs", "jobs list", "jobs retry", "jobs run"]
    ])
  })

  it.each(["", ...paths])(
    "of `earshot %s` describes every option and argument, and fits the terminal",
    async (path) => {
      for (const columns of [60, 72, 80, 120]) {
        const { code, err, out } = await parse(
          [...path.split(" "), "--help"].filter((word) => word !== ""),
          { columns }
        )
        expect({ code, err }).toEqual({ code: 0, err: "" })
        const lines = out.trimEnd().split("\n")
        expect(lines[0]).toContain(`Usage: earshot ${path}`.trim())
        // The line of the usage is not wrapped.
        expect(displayWidth(lines[0] ?? "")).toBeLessThanOrEqual(72)
        for (const line of lines.slice(1)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(columns)
          expect(line).toBe(line.trimEnd())
        }
        // A term without a description would stand alone before the next one.
        expect(lines.filter((line, at) => /^ {2}\S+$/.test(line) && /^ {2}\S/.test(lines[at + 1] ?? ""))).toEqual([])
      }
    }
  )

  it("of one command reads like this", async () => {
    expect((await parse(["keys", "revoke", "--help"], { columns: 72 })).out.trimEnd().split("\n")).toEqual([
      "Usage: earshot keys revoke [options] <id>",
      "",
      "Revoke an API key.",
      "",
      "Arguments:",
      "  id                       Id of the API key.",
      "",
      "Options:",
      "  --url <address>          Server to use instead of a database, such as",
      "                           http://127.0.0.1:8080; needs an API key.",
      "                           (env: EARSHOT_URL)",
      "  --database <address>     Database: sqlite:PATH or",
      "                           postgres://user@host/name. (default:",
      "                           sqlite:./earshot.db, env: EARSHOT_DATABASE)",
      "  --table-prefix <prefix>  Prefix of the names of the engine's tables.",
      "                           (default: none) (env: EARSHOT_TABLE_PREFIX)",
      "  --json                   Print results and errors as JSON.",
      "  --organization <id>      Act as the host, with every permission, for",
      "                           this organization. Optional if there is only",
      "                           one.",
      "  --api-key <key>          Act as the holder of this API key, with its",
      "                           permissions. (env: EARSHOT_API_KEY)",
      "  --api-key-file <file>    File with the API key. - reads stdin.",
      "  -h, --help               Show help."
    ])
  })

  it("lists the choices and the default of an option", async () => {
    const help = async (...args: ReadonlyArray<string>) => (await parse([...args, "--help"])).out.replace(/\s+/g, " ")
    expect(await help("runs", "list")).toContain(
      // eslint-disable-next-line earshot/vocabulary -- the interface's name of the status
      '(choices: "queued", "running", "evaluating", "completed", "failed", "timeout", "cancelled")'
    )
    expect(await help("serve")).toContain("--port <port> Port to listen on; 0 for any free port. (default: 8080)")
    expect(await help("results", "compare")).toContain(
      'Exit with 1 if the result became worse. (choices: "regression")'
    )
  })

  it("is printed by a group without a command, and by the command help", async () => {
    const { out } = await parse(["calls", "--help"])
    expect(await parse(["calls"])).toMatchObject({ code: 0, out, err: "" })
    expect(await parse(["help", "calls"])).toMatchObject({ code: 0, out, err: "" })
    expect((await parse([])).out).toBe((await parse(["--help"])).out)
  })

  it("has bold titles on a terminal with colors", async () => {
    expect((await parse(["--help"], { color: true })).out).toContain("\u001b[1mOptions:\u001b[0m")
    expect((await parse(["--help"])).out).not.toContain("\u001b")
  })
})

describe("the command line", () => {
  it("suggests the command and the option that a typo resembles", async () => {
    expect(await parse(["calls", "lst"])).toMatchObject({
      code: 1,
      err: "error: unknown command 'lst'\n(Did you mean list?)\nSee: earshot calls --help (options follow the command)\n"
    })
    expect((await parse(["calls", "list", "--limt", "3"])).err).toBe(
      "error: unknown option '--limt'\n(Did you mean --limit?)\nSee: earshot calls list --help\n"
    )
    expect((await parse(["constructor"])).err).toContain("unknown command 'constructor'")
  })

  it("takes the log level before or after the command", async () => {
    for (const args of [
      ["--log-level", "debug", "calls", "list"],
      ["calls", "list", "--log-level=debug"]
    ]) {
      expect((await parse(args)).invocation).toMatchObject({ logLevel: "debug" })
    }
  })

  it("names the options of the command that take a value", async () => {
    expect((await parse(["init"])).invocation?.options).toEqual(["--database", "--table-prefix", "--organization"])
  })

  it("passes options and arguments to the action by their names", async () => {
    const received: Array<unknown> = []
    const take = command("take", {
      description: "Take options.",
      options: {
        noWait: toggle("--no-wait", "Do not wait."),
        many: toggle("--many", "Take many."),
        hosts: list("--allow-host <host>", "A host."),
        limit: withDefault(integer("--limit <n>", "Rows."), 50)
      },
      args: { id: idArgument("id", "Id."), files: textArguments("file", "Files.") },
      action: () =>
        Promise.resolve((input: object) => {
          received.push(input)
          return Effect.void
        })
    })
    for (const args of [
      ["take", "7"],
      ["take", "-1", "a", "--no-wait", "-", "--many", "--allow-host=a", "--allow-host", "b", "--limit", "3", "--", "-b"]
    ]) {
      const program = new Command()
      take(program, async ({ start }) => {
        expect(Effect.isEffect(await start())).toBe(true)
      })
      await program.parseAsync(args, { from: "user" })
    }
    expect(received).toEqual([
      { noWait: false, many: false, hosts: [], limit: 50, id: 7, files: [] },
      { noWait: true, many: true, hosts: ["a", "b"], limit: 3, id: -1, files: ["a", "-", "-b"] }
    ])
  })

  it.each(["bash", "sh", "zsh", "fish"])("prints completions for %s", async (shell) => {
    const { code, out } = await parse(["--completions", shell])
    expect(code).toBe(0)
    for (const word of ["bulk-update", "phone-numbers", "tolerance"]) expect(out).toContain(word)
  })
})
