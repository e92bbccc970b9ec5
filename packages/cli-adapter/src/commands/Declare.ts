/** Declares commands on commander with typed options: what is declared has to match what the command's action takes. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander"
import type { CommandEffect } from "../CommandEffect.js"

/** An option or argument, and how its value is read from what commander parsed. */
interface Parameter<Declared, Value> {
  readonly declared: Declared
  readonly read: (parsed: unknown) => Value
  /** Whether it sets up an engine in this process, so that it has no effect on a server's. */
  readonly isOfEngine?: boolean
}

export type Flag<Value> = Parameter<Option, Value>
export type Positional<Value> = Parameter<Argument, Value>

type Parameters = Readonly<Record<string, Parameter<Option | Argument, unknown>>>
type ValuesOf<P extends Parameters> = { readonly [Name in keyof P]: ReturnType<P[Name]["read"]> }

const readText = (parsed: unknown): string | undefined => (typeof parsed === "string" ? parsed : undefined)
const readNumber = (parsed: unknown): number | undefined => (typeof parsed === "number" ? parsed : undefined)

/** An option with free text. */
export const text = (flags: string, description: string): Flag<string | undefined> => ({
  declared: new Option(flags, description),
  read: readText
})

/** An option that is on or off. The library reads `--no-wait` as an option `wait` that is off. */
export const toggle = (flags: string, description: string): Flag<boolean> => {
  const declared = new Option(flags, description)
  return { declared, read: (parsed) => parsed === !declared.negate }
}

/** An option that may be given several times. */
export const list = (flags: string, description: string): Flag<ReadonlyArray<string>> => ({
  declared: new Option(flags, `${description} Repeatable.`).argParser<ReadonlyArray<string> | undefined>(
    (value, earlier) => [...(earlier ?? []), value]
  ),
  read: (parsed) => (Array.isArray(parsed) ? parsed.map(String) : [])
})

/** An option with one of the given words. */
export const choice = (flags: string, description: string, words: ReadonlyArray<string>): Flag<string | undefined> => ({
  declared: withChoices(new Option(flags, description), words),
  read: readText
})

/** Rejects other words with a message that lists these. */
const withChoices = <Declared extends Option | Argument>(
  declared: Declared,
  words: ReadonlyArray<string>
): Declared => {
  declared.choices(words)
  declared.argParser((value) => {
    if (words.includes(value)) return value
    throw new InvalidArgumentError(`It must be one of ${words.join(", ")}.`)
  })
  return declared
}

const parseInteger =
  (least: number, most: number) =>
  (value: string): number => {
    const parsed = Number(value)
    if (value.trim() === "" || !Number.isSafeInteger(parsed)) throw new InvalidArgumentError("It is not an integer.")
    if (parsed >= least && parsed <= most) return parsed
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER ? `It must be at least ${least}.` : `It must be from ${least} to ${most}.`
    )
  }

/** An option with an integer in a range; at least 1 by default. */
export const integer = (
  flags: string,
  description: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: { readonly least?: number; readonly most?: number } = {}
): Flag<number | undefined> => ({
  declared: new Option(flags, description).argParser(parseInteger(least, most)),
  read: readNumber
})

/** An option with a number. */
export const number = (flags: string, description: string): Flag<number | undefined> => ({
  declared: new Option(flags, description).argParser((value) => {
    const parsed = Number(value)
    if (value.trim() === "" || !Number.isFinite(parsed)) throw new InvalidArgumentError("It is not a number.")
    return parsed
  }),
  read: readNumber
})

/** The option with a default, which the help shows. */
export const withDefault = <Value extends string | number>(
  { declared, read, ...rest }: Flag<Value | undefined>,
  value: Value
): Flag<Value> => ({
  ...rest,
  declared: declared.default(value, String(value)),
  read: (parsed) => read(parsed) ?? value
})

/** The option with an environment variable that is read where the option is missing. */
export const withEnvironment = <Value>(flag: Flag<Value>, variable: string): Flag<Value> => ({
  ...flag,
  declared: flag.declared.env(variable)
})

/** The option as one of the engine in this process: an error with `--url`. */
export const ofEngine = <Value>(flag: Flag<Value>): Flag<Value> => ({ ...flag, isOfEngine: true })

/** The option as one that has to be given. */
export const required = ({ declared, read }: Flag<string | undefined>): Flag<string> => ({
  declared: declared.makeOptionMandatory(),
  read: readRequired(read, "")
})

const readRequired =
  <Value>(read: (parsed: unknown) => Value | undefined, otherwise: Value) =>
  (parsed: unknown): Value =>
    read(parsed) ?? otherwise

/** A required argument with free text. */
export const textArgument = (name: string, description: string): Positional<string> => ({
  declared: new Argument(`<${name}>`, description),
  read: readRequired(readText, "")
})

/** A required argument with one of the given words. */
export const choiceArgument = <Word extends string>(
  name: string,
  description: string,
  words: readonly [Word, ...ReadonlyArray<Word>]
): Positional<Word> => ({
  declared: withChoices(new Argument(`<${name}>`, description), words),
  read: readRequired((parsed) => words.find((word) => word === parsed), words[0])
})

/** Any number of texts. */
export const textArguments = (name: string, description: string): Positional<ReadonlyArray<string>> => ({
  declared: new Argument(`[${name}...]`, description),
  read: (parsed) => (Array.isArray(parsed) ? parsed.map(String) : [])
})

const parseId = parseInteger(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** A required argument with an id. */
export const idArgument = (name: string, description: string): Positional<number> => ({
  declared: new Argument(`<${name}>`, description).argParser(parseId),
  read: readRequired(readNumber, 0)
})

/** Any number of ids. */
export const idArguments = (name: string, description: string): Positional<ReadonlyArray<number>> => ({
  declared: new Argument(`[${name}...]`, description).argParser<ReadonlyArray<number> | undefined>((value, earlier) => [
    ...(earlier ?? []),
    parseId(value)
  ]),
  read: (parsed) => (Array.isArray(parsed) ? parsed.map(Number) : [])
})

/** A command that was parsed and is ready to run. */
export interface Invocation {
  /** Loads the modules of the command and starts it. */
  readonly start: () => Promise<CommandEffect>
  /** Names of the command's options that take a value, such as `--filter`: errors about fields name them. */
  readonly options: ReadonlyArray<string>
  /** The value of `--log-level`. */
  readonly logLevel: string | undefined
}

export type Execute = (invocation: Invocation) => Promise<void>

/** Adds a command to its parent. */
export type Declaration = (parent: Command, execute: Execute) => void

/** The environment variable of `--url`. */
export const URL_VARIABLE = "EARSHOT_URL"

/** The words of a command, such as `earshot calls list`. */
const nameOf = (command: Command): string => {
  const names: Array<string> = []
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name())
  return names.join(" ")
}

export const helpHint = (command: Command): string => `See: ${nameOf(command)} --help`

/**
 * Decides between `--url` and `--database`: an option overrides the environment, and two of a kind are an error. Options of
 * the engine are errors with a server.
 */
const chosenTarget = (
  command: Command,
  options: Readonly<Record<string, Flag<unknown>>>,
  onDatabaseOnly: boolean
): { readonly url?: undefined } => {
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name)
  const isGiven = (name: string) => sourceOf(name) === "cli"
  const isSet = (name: string) => isGiven(name) || sourceOf(name) === "env"
  const fail = (message: string): never => command.error(`error: ${message}`, { code: "earshot.target" })
  if (!isSet("url") || command.getOptionValue("url") === "") return { url: undefined }
  if (onDatabaseOnly) {
    return !isGiven("url") && isSet("database")
      ? { url: undefined }
      : fail(`'${nameOf(command)}' works on a database only. Run it with --database where the database can be reached.`)
  }
  if (isGiven("url") && isGiven("database")) return fail("use --url or --database, not both.")
  if (!isGiven("url") && isGiven("database")) return { url: undefined }
  if (!isGiven("url") && isSet("database")) {
    return fail(`${URL_VARIABLE} and EARSHOT_DATABASE are both set. Choose one with --url or --database.`)
  }
  for (const { declared, isOfEngine } of Object.values(options)) {
    if (isOfEngine === true && isGiven(declared.attributeName())) {
      return fail(`option '${declared.flags}' works on a database only, not with --url.`)
    }
  }
  return {}
}

/** A command. Its action is loaded when it runs, so that `--help` and `--version` load neither engine nor database. */
export const command =
  <Options extends Readonly<Record<string, Flag<unknown>>>, Args extends Readonly<Record<string, Positional<unknown>>>>(
    name: string,
    spec: {
      readonly description: string
      readonly options: Options
      readonly args?: Args
      readonly action: () => Promise<(input: ValuesOf<Options> & ValuesOf<Args>) => CommandEffect>
    }
  ): Declaration =>
  (parent, execute) => {
    const declared = parent.command(name).description(spec.description)
    declared.showHelpAfterError(helpHint(declared))
    for (const { declared: argument } of Object.values(spec.args ?? {})) declared.addArgument(argument)
    for (const { declared: option } of Object.values(spec.options)) declared.addOption(option)
    const onDatabaseOnly = "database" in spec.options && !("url" in spec.options)
    if (onDatabaseOnly) declared.addOption(new Option("--url <address>").env(URL_VARIABLE).hideHelp())
    declared.action(async () => {
      const parsed: Readonly<Record<string, unknown>> = {
        ...declared.optsWithGlobals(),
        ...chosenTarget(declared, spec.options, onDatabaseOnly)
      }
      const input: unknown = Object.fromEntries([
        ...Object.entries(spec.options).map(([key, flag]) => [key, flag.read(parsed[flag.declared.attributeName()])]),
        ...Object.entries(spec.args ?? {}).map(([key, { read }], at) => [key, read(declared.processedArgs[at])])
      ])
      await execute({
        start: async () =>
          // eslint-disable-next-line typescript/consistent-type-assertions -- each value was read by its own parameter
          (await spec.action())(input as ValuesOf<Options> & ValuesOf<Args>),
        options: declared.options.flatMap((option) =>
          option.required && !option.hidden && option.long !== undefined ? [option.long] : []
        ),
        logLevel: readText(parsed.logLevel)
      })
    })
  }

/** Commands under a common name. Without one of them, the group prints its help. */
export const group =
  (name: string, description: string, commands: ReadonlyArray<Declaration>): Declaration =>
  (parent, execute) => {
    const declared = parent.command(name).description(description).usage("<command> [options]")
    declared.showHelpAfterError(`${helpHint(declared)} (options follow the command)`)
    for (const declare of commands) declare(declared, execute)
  }
