/** Shell completions, generated from the declared commands. */
import type { Command } from "commander"

export const SHELLS = ["sh", "bash", "fish", "zsh"] as const

interface Entry {
  /** `earshot`, or `earshot calls list`. */
  readonly path: string
  readonly commands: ReadonlyArray<Command>
  readonly options: ReadonlyArray<{ readonly long: string; readonly description: string }>
}

const entries = (command: Command, parents: ReadonlyArray<string> = []): ReadonlyArray<Entry> => {
  const path = [...parents, command.name()]
  const options = command.options.flatMap(({ description, long }) =>
    long === undefined ? [] : [{ long, description }]
  )
  return [
    {
      path: path.join(" "),
      commands: command.commands,
      options: [...options, { long: "--help", description: "Show help." }]
    },
    ...command.commands.flatMap((one) => entries(one, path))
  ]
}

/** `bash` (and `sh`, for a bash that is called so): the words before the cursor select the candidates. */
const bash = (program: Command): string => `_earshot() {
  local path="earshot" word candidates
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="$path $word" ;; esac
  done
  case "$path" in
${entries(program)
  .map(
    ({ commands, options, path }) =>
      `    "${path}"${commands.length === 0 ? "*" : ""}) candidates="${[...commands.map((one) => one.name()), ...options.map(({ long }) => long)].join(" ")}" ;;`
  )
  .toReversed()
  .join("\n")}
  esac
  COMPREPLY=($(compgen -o default -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _earshot earshot
`

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

const fish = (program: Command): string =>
  entries(program)
    .flatMap(({ commands, options, path }) => {
      const words = path.split(" ").slice(1)
      const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`)
      const none =
        commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.map((one) => one.name()).join(" ")}`]
      const condition = [...seen, ...none].join("; and ")
      const when = condition === "" ? "" : ` -n ${quote(condition)}`
      return [
        ...commands.map((one) => `complete -c earshot${when} -f -a ${one.name()} -d ${quote(one.description())}`),
        ...options.map(
          ({ description, long }) => `complete -c earshot${when} -l ${long.slice(2)} -d ${quote(description)}`
        )
      ]
    })
    .join("\n")
    .concat("\n")

/** The script that completes the program's commands and options in a shell. */
export const completions = (program: Command, shell: string): string =>
  shell === "fish"
    ? fish(program)
    : shell === "zsh"
      ? `#compdef earshot\nautoload -U +X bashcompinit && bashcompinit\n${bash(program)}`
      : bash(program)
