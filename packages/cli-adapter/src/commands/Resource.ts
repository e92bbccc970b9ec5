import type { ResourceActions } from "../actions/Resource.js"
import { command, type Declaration, type Flag } from "./Declare.js"
import { common, id, input, page } from "./Shared.js"

const articleOf = (noun: string): string => (/^[aeiou]/.test(noun) ? "an" : "a")

/** Options of `list`, by the names of the query's parameters. */
type Selection = Readonly<Record<string, Flag<string | number | undefined>>>

/** The commands that every resource has: list, show, create, update and delete. */
export const resourceCommands = (
  one: string,
  load: () => Promise<ResourceActions>,
  selection: Selection = {},
  many = `${one}s`
): ReadonlyArray<Declaration> => [...readCommands(one, load, selection, many), ...changeCommands(one, load)]

/** The commands of a resource that read it: list and show. */
export const readCommands = (
  one: string,
  load: () => Promise<Pick<ResourceActions, "list" | "show">>,
  selection: Selection = {},
  many = `${one}s`
): ReadonlyArray<Declaration> => {
  const article = articleOf(one)
  return [
    command("list", {
      description: `List ${many}, newest first.`,
      options: { ...common, ...page, ...selection },
      action: async () => {
        const { list } = await load()
        return (options) =>
          list({
            ...options,
            selection: Object.fromEntries(Object.keys(selection).map((name) => [name, Reflect.get(options, name)]))
          })
      }
    }),
    command("show", {
      description: `Show ${article} ${one} with all its fields.`,
      options: common,
      args: { id: id(one) },
      action: async () => (await load()).show
    })
  ]
}

/** The commands of a resource that change it: create, update and delete. */
export const changeCommands = (
  one: string,
  load: () => Promise<Pick<ResourceActions, "create" | "remove" | "update">>
): ReadonlyArray<Declaration> => {
  const article = articleOf(one)
  return [
    command("create", {
      description: `Create ${article} ${one} and show it.`,
      options: { ...common, ...input.options },
      args: input.args,
      action: async () => (await load()).create
    }),
    command("update", {
      description: `Update the given fields of ${article} ${one}.`,
      options: { ...common, ...input.options },
      args: { id: id(one), ...input.args },
      action: async () => (await load()).update
    }),
    command("delete", {
      description: `Delete ${article} ${one}.`,
      options: common,
      args: { id: id(one) },
      action: async () => (await load()).remove
    })
  ]
}
