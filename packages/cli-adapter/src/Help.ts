/** What `--help` prints, laid out from what the commands say of themselves. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { painted, type Style } from "./charts/Style.js"
import { earshot, groups } from "./Cli.js"
import { widthOf } from "./Text.js"

interface Entry {
  readonly name: string
  readonly text: string
  /** The words that an option may have; undefined where it is free. */
  readonly words?: ReadonlyArray<string>
}

interface Page {
  readonly description: string
  readonly args: ReadonlyArray<Entry>
  readonly options: ReadonlyArray<Entry>
}

const plain = (span: Span.Span): string => {
  switch (span._tag) {
    case "Highlight":
    case "Strong":
    case "Weak":
      return typeof span.value === "string" ? span.value : plain(span.value)
    case "Sequence":
      return plain(span.left) + plain(span.right)
    case "Text":
    case "URI":
      return span.value
  }
}

/** What the parser says of every option, and what an option's own words or its name say better. */
const SAID_ALREADY =
  /^(?:A user-defined piece of text.*|An? (?:integer|floating point number|true or false value)\.|One of the following: .*|This (?:setting is optional|option can be set from environment variables|(?:option|argument) may be repeated .*)\.)$/

const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  switch (doc._tag) {
    case "Paragraph":
      return [plain(doc.value)]
    case "Sequence":
      return [...paragraphs(doc.left), ...paragraphs(doc.right)]
    case "Empty":
    case "Header":
    case "DescriptionList":
    case "Enumeration":
      return []
  }
}

const entries = (doc: HelpDoc.HelpDoc): ReadonlyArray<Entry> => {
  switch (doc._tag) {
    case "DescriptionList":
      return doc.definitions.map(([name, about]) => {
        const [, option = "", choices] = /^--([a-z-]+) (\S+ \|.*)$/.exec(plain(name)) ?? []
        const words = choices?.split(" | ")
        return {
          name:
            words === undefined
              ? plain(name)
                  .replace(/^(--[a-z-]+) text/, "$1 TEXT")
                  .replace(/^(--[a-z-]+) (?:integer|float)/, "$1 N")
              : `--${option} ${option.toUpperCase()}`,
          text: [
            ...paragraphs(about).filter((one) => !SAID_ALREADY.test(one)),
            ...(words === undefined ? [] : [`One of ${words.join(", ")}.`])
          ].join(" "),
          ...(words === undefined ? {} : { words })
        }
      })
    case "Sequence":
      return [...entries(doc.left), ...entries(doc.right)]
    case "Empty":
    case "Header":
    case "Paragraph":
    case "Enumeration":
      return []
  }
}

const pageOf = (doc: HelpDoc.HelpDoc): Page => {
  const all = entries(doc)
  return {
    description: paragraphs(doc).join(" "),
    args: all.filter(({ name }) => name.startsWith("<")),
    options: all.filter(({ name }) => name.startsWith("--"))
  }
}

const CONFIG: CliConfig.CliConfig = { ...CliConfig.defaultConfig, showBuiltIns: false }

const PAGES: ReadonlyMap<string, Page> = new Map(
  [["", Command.getSubcommands(earshot)] as const, ...Object.entries(groups)].flatMap(([group, subcommands]) =>
    HashMap.toEntries(subcommands).map(
      ([name, command]) => [`${group} ${name}`.trim(), pageOf(Descriptor.getHelp(command, CONFIG))] as const
    )
  )
)

const enumerated = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  switch (doc._tag) {
    case "Enumeration":
      return doc.elements.flatMap(paragraphs)
    case "Sequence":
      return [...enumerated(doc.left), ...enumerated(doc.right)]
    case "Empty":
    case "Header":
    case "Paragraph":
    case "DescriptionList":
      return []
  }
}

/** Every command with its description, in the order in which they are declared: only the whole command's help keeps it. */
const COMMANDS: ReadonlyArray<Entry> = enumerated(Command.getHelp(earshot, CONFIG)).flatMap((usage) => {
  const words = /^[a-z][a-z-]*(?: [a-z][a-z-]*)*(?= )/.exec(usage)?.[0] ?? ""
  const [first = "", second] = words.split(" ")
  const name = second !== undefined && PAGES.has(`${first} ${second}`) ? `${first} ${second}` : first
  return [{ name, text: PAGES.get(name)?.description ?? "" }]
})

const EVERYWHERE: ReadonlyArray<Entry> = [
  { name: "--help, -h", text: "Show help: of the command before it, or this." },
  { name: "--version", text: "Show the version." },
  {
    name: "--log-level LEVEL",
    text: "What is logged on stderr: all, trace, debug, info, warning, error, fatal or none."
  },
  { name: "--completions SHELL", text: "Print completions for sh, bash, fish or zsh." }
]

const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** The widest name that has its text beside it; the text of wider ones stands below them. */
const NAMES = 24

/** Where the screen is narrower, every text stands below its name. */
const STACKED = 72

const listed = (title: string, items: ReadonlyArray<Entry>, style: Style): ReadonlyArray<string> => {
  if (items.length === 0) return []
  const beside = Math.min(NAMES, Math.max(...items.map(({ name }) => name.length)))
  const indent = style.columns < STACKED ? 6 : beside + 4
  return [
    "",
    painted(style, "bold", title),
    ...items.flatMap(({ name, text }) => {
      const [first = "", ...rest] = wrapped(text, Math.max(20, style.columns - indent))
      const below = " ".repeat(indent)
      return style.columns < STACKED || name.length > beside
        ? [`  ${name}`, ...[first, ...rest].map((line) => below + line)]
        : [`  ${name.padEnd(beside)}  ${first}`.trimEnd(), ...rest.map((line) => below + line)]
    })
  ]
}

/** The widest help; longer lines are hard to read. */
const WIDEST = 100

/** The command that leading words name, and the word after it if that names none. */
export interface Named {
  /** `calls list`; empty for the whole command. */
  readonly path: string
  readonly group: boolean
  /** What follows a group and is none of its commands. */
  readonly unknown: Option.Option<string>
  /** An option that follows a group, where one of its commands is looked for. */
  readonly stray: Option.Option<string>
}

/** Which command the arguments (without the program's) begin with. */
export const named = (args: ReadonlyArray<string>): Named => {
  const words = args.filter((word, at) => !(/^--log-level(?:=|$)/.test(word) || args[at - 1] === "--log-level"))
  let path = ""
  for (const word of words) {
    const next = `${path} ${word}`.trim()
    if (!PAGES.has(next)) {
      const group = path === "" || path in groups
      const isOption = word.startsWith("-")
      return {
        path,
        group,
        unknown: group && !isOption ? Option.some(word) : Option.none(),
        stray: group && isOption ? Option.some(word) : Option.none()
      }
    }
    path = next
  }
  return { path, group: path === "" || path in groups, unknown: Option.none(), stray: Option.none() }
}

/** The commands of a group, by the words that follow it. */
export const commandsOf = (path: string): ReadonlyArray<string> =>
  COMMANDS.flatMap(({ name }) =>
    path === "" ? (name.includes(" ") ? [] : [name]) : name.startsWith(`${path} `) ? [name.slice(path.length + 1)] : []
  )

/** Names of the options of a command that take a value. */
export const valuedOptions = (path: string): ReadonlyArray<string> =>
  (PAGES.get(path)?.options ?? []).flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0] ?? name] : []))

/** The words that an option of a command may have; undefined where it is free. */
export const wordsOf = (path: string, option: string): ReadonlyArray<string> | undefined =>
  PAGES.get(path)?.options.find(({ name }) => name.startsWith(`${option} `))?.words

/** What `--log-level` takes, which every command has. */
export const LOG_LEVELS = ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"] as const

const asArgument = (name: string): string =>
  name.endsWith("...") ? name.replace(/^<(.*)>\.\.\.$/, "[$1...]") : name.replace(/^<(.*)>$/, "$1")

/** The help of a command, as lines no wider than the screen where its words allow it. */
export const help = (path: string, given: Style): ReadonlyArray<string> => {
  const style = { ...given, columns: Math.min(given.columns, WIDEST) }
  const page = PAGES.get(path)
  const commands =
    path === ""
      ? COMMANDS.filter(({ name }) => name.includes(" ") || !(name in groups))
      : COMMANDS.filter(({ name }) => name.startsWith(`${path} `)).map((one) => ({
          ...one,
          name: one.name.slice(path.length + 1)
        }))
  const usage = [
    "earshot",
    path,
    ...(commands.length > 0 ? ["COMMAND"] : []),
    ...(page?.args ?? []).map(({ name }) => asArgument(name)),
    "[OPTIONS]"
  ]
  return [
    ...wrapped(page?.description ?? "Tests and observes AI voice agents.", style.columns),
    "",
    `${painted(style, "bold", "Usage")}  ${usage.filter((word) => word !== "").join(" ")}`,
    ...listed("Commands", commands, style),
    ...listed(
      "Arguments",
      (page?.args ?? []).map((one) => ({ ...one, name: asArgument(one.name) })),
      style
    ),
    ...listed("Options", page?.options ?? [], style),
    ...(path === "" ? listed("Everywhere", EVERYWHERE, style) : []),
    ...(commands.length > 0
      ? [
          "",
          ...wrapped(
            `${["earshot", path, "COMMAND"].filter((word) => word !== "").join(" ")} --help tells more of one.`,
            style.columns
          )
        ]
      : [])
  ]
}
