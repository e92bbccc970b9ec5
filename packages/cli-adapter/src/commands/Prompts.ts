import { command, group, textArgument } from "./Declare.js"
import { json } from "./Shared.js"

export const prompts = group("prompts", "Simplify the prompts of metrics.", [
  command("simplify", {
    description:
      "Print a shorter prompt that keeps every rule. Uses the language model of EARSHOT_MODEL, or rewriting rules if there is none. Nothing is stored.",
    options: { json },
    args: { file: textArgument("file", "File with the prompt. - reads stdin.") },
    action: async () => (await import("../actions/Prompts.js")).simplify
  })
])
