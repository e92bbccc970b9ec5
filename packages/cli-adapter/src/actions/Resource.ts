/** The actions of a resource: list, show, create, update, delete. */
import { type Engine, type Operation, type Pages, type Untrusted, untrusted, type UseCase } from "@earshot/core"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type InputOptions, readInput } from "../Assignments.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandError, CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import type { Column } from "../Table.js"
import { sanitize, jsonLine } from "../Text.js"

export type Asks<Args extends ReadonlyArray<unknown>, A> = UseCase<Operation, Args, A, CommandError>

/** The use cases of a resource. */
interface UseCases<Id, Noun> {
  readonly create: Asks<[input: Untrusted], Noun>
  readonly list: Asks<[query: Untrusted], Pages.Page<Noun>>
  readonly read: Asks<[id: Id], Noun>
  readonly update: Asks<[id: Id, input: Untrusted], Noun>
  readonly delete: Asks<[id: Id], void>
}

export interface Resource<Id extends number, Noun> {
  /** Its name in messages. */
  readonly noun: string
  /** Default: the noun with an s. */
  readonly plural?: string
  readonly useCases: Effect.Effect<UseCases<Id, Noun>, never, Engine.Services>
  readonly id: Schema.Schema<Id, number>
  readonly encode: (one: Noun) => Readonly<Record<string, unknown>>
  readonly columns: ReadonlyArray<Column<Noun>>
}

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

export const resourceActions = <Id extends number, Noun extends { readonly id: Id }>(
  of: Resource<Id, Noun>
): ResourceActions => {
  const shown = (json: boolean, one: Noun) =>
    Effect.flatMap(Screen, (screen) => screen.print(json ? jsonLine(of.encode(one)) : describe(of.encode(one))))
  const known = (id: number) => decodeId(of.id, of.noun, id)
  return {
    list: (options) =>
      Effect.gen(function* () {
        const caller = yield* resolveCaller(options)
        const page = yield* callAs(
          caller,
          (yield* of.useCases).list
        )(untrusted({ ...pageQuery(options), ...defined(options.selection) }))
        yield* printPage(page, {
          json: options.json,
          encode: of.encode,
          none: `No ${of.plural ?? `${of.noun}s`} found.`,
          columns: [{ name: "ID", of: (one) => String(one.id), right: true }, ...of.columns]
        })
      }).pipe(withEngine(plainEngine(options), { existing: true })),
    show: (options) =>
      Effect.gen(function* () {
        const caller = yield* resolveCaller(options)
        const one = yield* callAs(caller, (yield* of.useCases).read)(yield* known(options.id))
        yield* shown(options.json, one)
      }).pipe(withEngine(plainEngine(options), { existing: true })),
    create: (options) =>
      Effect.gen(function* () {
        const input = yield* readInput(options)
        const caller = yield* resolveCaller(options)
        yield* shown(options.json, yield* callAs(caller, (yield* of.useCases).create)(input))
      }).pipe(withEngine(plainEngine(options), { existing: true })),
    update: (options) =>
      Effect.gen(function* () {
        const input = yield* readInput(options)
        const caller = yield* resolveCaller(options)
        const id = yield* known(options.id)
        yield* shown(options.json, yield* callAs(caller, (yield* of.useCases).update)(id, input))
      }).pipe(withEngine(plainEngine(options), { existing: true })),
    remove: (options) =>
      Effect.gen(function* () {
        const screen = yield* Screen
        const caller = yield* resolveCaller(options)
        yield* callAs(caller, (yield* of.useCases).delete)(yield* known(options.id))
        if (!options.json) yield* screen.note(`Deleted ${of.noun} ${options.id}.`)
      }).pipe(withEngine(plainEngine(options), { existing: true }))
  }
}
