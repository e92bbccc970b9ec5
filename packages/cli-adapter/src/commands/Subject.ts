/** What the commands of a kind of thing have in common: list, show, create, update, delete. */
import type { Engine, Operation, Pages, UseCase } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type InputOptions, readInput } from "../Assignments.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandFault, Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import type { Column } from "../Table.js"
import { neutralised, printJson } from "../Text.js"

export interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

type Asks<Args extends ReadonlyArray<unknown>, A> = UseCase<Operation, Args, A, CommandFault>

/** The use cases of a kind of thing. */
interface UseCases<Id, Noun> {
  readonly create: Asks<[input: unknown], Noun>
  readonly list: Asks<[query: unknown], Pages.Page<Noun>>
  readonly read: Asks<[id: Id], Noun>
  readonly update: Asks<[id: Id, input: unknown], Noun>
  readonly delete: Asks<[id: Id], void>
}

export interface Subject<Id extends number, Noun> {
  /** What one is called in sentences. */
  readonly noun: string
  readonly useCases: Effect.Effect<UseCases<Id, Noun>, never, Engine.Services>
  readonly id: Schema.Schema<Id, number>
  readonly encode: (one: Noun) => Readonly<Record<string, unknown>>
  readonly columns: ReadonlyArray<Column<Noun>>
}

/** Which of a list, beside its page; `--folder-path` is `folder_path` to the engine. */
export type Selection = Readonly<Record<string, Option.Option<string | number>>>

/** A thing as lines, field by field. */
export const describe = (wire: Readonly<Record<string, unknown>>): string =>
  Object.entries(wire)
    .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0))
    .map(([field, value]) => `${field.padEnd(24)} ${neutralised(typeof value === "string" ? value : printJson(value))}`)
    .join("\n")

/** The commands that every kind of thing has. */
export interface SubjectCommands {
  readonly list: (options: Common & PageOptions & { readonly selection: Selection }) => Running
  readonly show: (options: Common & { readonly id: number }) => Running
  readonly create: (options: Common & InputOptions) => Running
  readonly update: (options: Common & InputOptions & { readonly id: number }) => Running
  readonly remove: (options: Common & { readonly id: number }) => Running
}

export const subject = <Id extends number, Noun extends { readonly id: Id }>(
  of: Subject<Id, Noun>
): SubjectCommands => {
  const shown = (json: boolean, one: Noun) =>
    Effect.flatMap(Screen, (screen) => screen.print(json ? printJson(of.encode(one)) : describe(of.encode(one))))
  const known = (id: number) => idOf(of.id, of.noun, id)
  return {
    list: (options) =>
      Effect.gen(function* () {
        const caller = yield* findCaller(options)
        const asked = Object.entries(options.selection).flatMap(([name, value]) =>
          Option.isNone(value) ? [] : [[name, value.value] as const]
        )
        const page = yield* calling(
          caller,
          (yield* of.useCases).list
        )({ ...pageQuery(options), ...Object.fromEntries(asked) })
        yield* printPage(page, {
          json: options.json,
          encode: of.encode,
          none: `There are no ${of.noun}s.`,
          columns: [{ name: "ID", of: (one) => String(one.id), right: true }, ...of.columns]
        })
      }).pipe(withEngine(plainEngine(options.database), { existing: true })),
    show: (options) =>
      Effect.gen(function* () {
        const caller = yield* findCaller(options)
        const one = yield* calling(caller, (yield* of.useCases).read)(yield* known(options.id))
        yield* shown(options.json, one)
      }).pipe(withEngine(plainEngine(options.database), { existing: true })),
    create: (options) =>
      Effect.gen(function* () {
        const input = yield* readInput(options)
        const caller = yield* findCaller(options)
        yield* shown(options.json, yield* calling(caller, (yield* of.useCases).create)(input))
      }).pipe(withEngine(plainEngine(options.database), { existing: true })),
    update: (options) =>
      Effect.gen(function* () {
        const input = yield* readInput(options)
        const caller = yield* findCaller(options)
        const id = yield* known(options.id)
        yield* shown(options.json, yield* calling(caller, (yield* of.useCases).update)(id, input))
      }).pipe(withEngine(plainEngine(options.database), { existing: true })),
    remove: (options) =>
      Effect.gen(function* () {
        const screen = yield* Screen
        const caller = yield* findCaller(options)
        yield* calling(caller, (yield* of.useCases).delete)(yield* known(options.id))
        if (!options.json) yield* screen.note(`The ${of.noun} ${options.id} is deleted.`)
      }).pipe(withEngine(plainEngine(options.database), { existing: true }))
  }
}
