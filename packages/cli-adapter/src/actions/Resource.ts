/** The actions of a resource: list, show, create, update, delete. */
import * as Effect from "effect/Effect"
import { type InputOptions, readInput } from "../Assignments.js"
import { type ItemOf, type Page, type PathOf, sendUntyped } from "../Api.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import type { Column } from "../Table.js"
import { onTarget } from "../Target.js"
import { sanitize, jsonLine } from "../Text.js"

export interface Resource<P extends PathOf<"get">> {
  /** Its name in messages. */
  readonly noun: string
  /** Default: the noun with an s. */
  readonly plural?: string
  /** The path of its list. */
  readonly path: P
  readonly columns: ReadonlyArray<Column<ItemOf<P>>>
}

type Fields = Readonly<Record<string, unknown>>

/** The parameters of a list query besides its page, by their API names. */
export type Selection = Readonly<Record<string, unknown>>

/** A resource as text: one line per field. */
export const describe = (wire: Readonly<Record<string, unknown>>): string =>
  Object.entries(wire)
    .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0))
    .map(([field, value]) => `${field.padEnd(24)} ${sanitize(typeof value === "string" ? value : jsonLine(value))}`)
    .join("\n")

/** The actions of a resource. */
export interface ResourceActions {
  readonly list: (options: CommonOptions & PageOptions & { readonly selection: Selection }) => CommandEffect
  readonly show: (options: CommonOptions & { readonly id: number }) => CommandEffect
  readonly create: (options: CommonOptions & InputOptions) => CommandEffect
  readonly update: (options: CommonOptions & InputOptions & { readonly id: number }) => CommandEffect
  readonly remove: (options: CommonOptions & { readonly id: number }) => CommandEffect
}

/** Prints one of a resource. */
const printOne = (json: boolean, one: Fields) =>
  Effect.flatMap(Screen, (screen) => screen.print(json ? jsonLine(one) : describe(one)))

const idColumn: Column<unknown> = {
  name: "ID",
  of: (one) => (typeof one === "object" && one !== null && "id" in one ? String(one.id) : ""),
  right: true
}

export const resourceActions = <P extends PathOf<"get">>(of: Resource<P>): ResourceActions => {
  const onePath = `${of.path}{id}/`
  return {
    list: (options) =>
      Effect.gen(function* () {
        const page = yield* sendUntyped<Page<ItemOf<P>>>("get", of.path, {
          query: { ...pageQuery(options), ...defined(options.selection) }
        })
        yield* printPage(page, {
          json: options.json,
          none: `No ${of.plural ?? `${of.noun}s`} found.`,
          columns: [idColumn, ...of.columns]
        })
      }).pipe(onTarget(options)),
    show: (options) =>
      Effect.gen(function* () {
        yield* printOne(options.json, yield* sendUntyped<Fields>("get", onePath, { id: options.id }))
      }).pipe(onTarget(options)),
    create: (options) =>
      Effect.gen(function* () {
        const body = yield* readInput(options)
        yield* printOne(options.json, yield* sendUntyped<Fields>("post", of.path, { body }))
      }).pipe(onTarget(options)),
    update: (options) =>
      Effect.gen(function* () {
        const body = yield* readInput(options)
        yield* printOne(options.json, yield* sendUntyped<Fields>("patch", onePath, { id: options.id, body }))
      }).pipe(onTarget(options)),
    remove: (options) =>
      Effect.gen(function* () {
        const screen = yield* Screen
        yield* sendUntyped("delete", onePath, { id: options.id })
        if (!options.json) yield* screen.note(`Deleted ${of.noun} ${options.id}.`)
      }).pipe(onTarget(options))
  }
}
