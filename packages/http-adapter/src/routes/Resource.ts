import {
  type CurrentActor,
  type Engine,
  Fields,
  type NotFound,
  type Operation,
  type Pages,
  type ResultWithheld,
  type Untrusted
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type RequestBody, type Encoding, type Endpoint, json, noContent, type NamedSchema } from "../Endpoint.js"
import { type HttpError, notFound } from "../ErrorResponses.js"

/** A use case of the engine. */
type UseCase<A> = Effect.Effect<A, HttpError | ResultWithheld, Engine.Services | CurrentActor>

interface WriteOperation {
  readonly operation: Operation
  readonly schema: Schema.Schema.All
  readonly encodings: ReadonlyArray<Encoding>
  readonly example: RequestBody["example"]
  readonly description?: string
}

/** The standard endpoints of a resource under one path: create (201), list, read, patch, delete (204), as far as given. */
export interface Resource<Id extends number, Noun> {
  readonly path: `/${string}/`
  readonly tag: string
  /** The noun in descriptions, such as `API key`. */
  readonly noun: string
  /** Default: `noun` with an s. */
  readonly plural?: string
  /** The name of its schema, such as `ApiKey`. */
  readonly name: string
  /** The name in 404 messages. Default: `name`. */
  readonly resource?: string
  readonly id: Schema.Schema<Id, number>
  readonly wire: Schema.Schema.All
  readonly encode: (noun: Noun) => unknown
  readonly create?: WriteOperation & {
    /** Returns the encoded result. */
    readonly run: (body: Untrusted) => UseCase<unknown>
    /** The schema of the response, if it contains more than later reads, such as a secret. */
    readonly shape?: NamedSchema
  }
  readonly list?: {
    readonly operation: Operation
    readonly query: Schema.Schema.All
    readonly run: (query: Untrusted) => UseCase<Pages.Page<Noun>>
  }
  /** Instead of `list`, if its items are not what `encode` returns: `run` returns encoded ones. */
  readonly listOf?: {
    readonly operation: Operation
    readonly query: Schema.Schema.All
    readonly item: NamedSchema
    readonly description?: string
    readonly run: (query: Untrusted) => UseCase<Pages.Page<unknown>>
  }
  readonly read?: { readonly operation: Operation; readonly run: (id: Id) => UseCase<Noun> }
  /** Instead of `read`, if it has query parameters: `run` returns the encoded one. */
  readonly readOf?: {
    readonly operation: Operation
    readonly query: Schema.Schema.All
    readonly item: NamedSchema
    readonly run: (id: Id, query: Untrusted) => UseCase<unknown>
  }
  readonly update?: WriteOperation & { readonly run: (id: Id, body: Untrusted) => UseCase<Noun> }
  readonly delete?: {
    readonly operation: Operation
    /** Default: `Delete`. */
    readonly verb?: "Revoke"
    readonly description?: string
    readonly run: (id: Id) => UseCase<void>
  }
}

/** Parses the id in a path. Anything that is not an id is a 404, as is an unknown id. */
export const pathId = <Id extends number>(
  id: Schema.Schema<Id, number>,
  params: Readonly<Record<string, string>>,
  noun: string
): Either.Either<Id, NotFound> => {
  const text = params.id ?? ""
  // Digits only: unlike fields of bodies, a path parameter may not contain spaces or a sign.
  return /^[1-9]\d*$/.test(text)
    ? Either.mapLeft(Schema.decodeUnknownEither(Fields.id(id))(text), () => notFound(noun))
    : Either.left(notFound(noun))
}

/** The schema of a page. Source: design, lists beyond the interface. */
const pageSchema = (item: NamedSchema): NamedSchema => ({
  name: `${item.name}Page`,
  schema: Schema.Struct({
    next: Schema.NullOr(Schema.String),
    previous: Schema.NullOr(Schema.String),
    results: Schema.Array(Schema.make(item.schema.ast))
  })
})

const withArticle = (noun: string): string => (/^[aeio]/i.test(noun) ? `an ${noun}` : `a ${noun}`)

const LIST_DESCRIPTION =
  "Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as " +
  "`cursor` to get the next page; it is null on the last one."

/** The list of a resource, which returns encoded items. */
const listsOf = <Id extends number, Noun>(
  { encode, list, listOf }: Resource<Id, Noun>,
  item: NamedSchema
): ReadonlyArray<NonNullable<Resource<Id, Noun>["listOf"]>> => [
  ...(listOf === undefined ? [] : [listOf]),
  ...(list === undefined
    ? []
    : [
        {
          ...list,
          item,
          run: (query: Untrusted) =>
            Effect.map(list.run(query), ({ results, ...links }) => ({ ...links, results: results.map(encode) }))
        }
      ])
]

/** The endpoint of one of a resource, which returns it encoded. */
const readsOf = <Id extends number, Noun>({ encode, read, readOf }: Resource<Id, Noun>, item: NamedSchema) => [
  ...(readOf === undefined ? [] : [readOf]),
  ...(read === undefined
    ? []
    : [{ ...read, item, query: undefined, run: (id: Id) => Effect.map(read.run(id), encode) }])
]

export const resource = <Id extends number, Noun>(of: Resource<Id, Noun>): ReadonlyArray<Endpoint> => {
  const { name, noun, path, plural = `${noun}s`, resource = name, tag } = of
  const one = `${path}:id/` as const
  const shape: NamedSchema = { name, schema: of.wire }
  const a = withArticle(noun)
  const endpoints: Array<Endpoint> = []
  if (of.create !== undefined) {
    const { description, encodings, example, operation, run, schema, shape: shown } = of.create
    endpoints.push({
      method: "POST",
      path,
      id: operation,
      operation,
      tag,
      summary: `Create ${a}`,
      ...(description === undefined ? {} : { description }),
      body: { name: `${name}Draft`, schema, encodings, example },
      responses: [{ status: 201, description: `The created ${noun}.`, body: shown ?? shape }],
      handle: ({ body }) => Effect.map(run(body), (made) => json(201, made))
    })
  }
  for (const list of listsOf(of, shape)) {
    const { operation, query, run } = list
    endpoints.push({
      method: "GET",
      path,
      id: operation,
      operation,
      tag,
      summary: `List ${plural}`,
      description: list.description ?? LIST_DESCRIPTION,
      query,
      responses: [{ status: 200, description: `A page of ${plural}.`, body: pageSchema(list.item) }],
      handle: (request) => Effect.map(run(request.query), (page) => json(200, page))
    })
  }
  for (const { item, operation, query, run } of readsOf(of, shape)) {
    endpoints.push({
      method: "GET",
      path: one,
      id: operation,
      operation,
      tag,
      summary: `Read ${a}`,
      ...(query === undefined ? {} : { query }),
      responses: [{ status: 200, description: `The ${noun}.`, body: item }],
      handle: ({ params, query: asked }) =>
        Effect.map(
          Effect.flatMap(pathId(of.id, params, resource), (id) => run(id, asked)),
          (found) => json(200, found)
        )
    })
  }
  if (of.update !== undefined) {
    const { description, encodings, example, operation, run, schema } = of.update
    endpoints.push({
      method: "PATCH",
      path: one,
      id: operation,
      operation,
      tag,
      summary: `Update ${a}`,
      description: description ?? "Omitted fields keep their values.",
      body: { name: `${name}Patch`, schema, encodings, example },
      responses: [{ status: 200, description: `The updated ${noun}.`, body: shape }],
      handle: ({ body, params }) =>
        Effect.map(
          Effect.flatMap(pathId(of.id, params, resource), (id) => run(id, body)),
          (changed) => json(200, of.encode(changed))
        )
    })
  }
  if (of.delete !== undefined) {
    const { description, operation, run, verb = "Delete" } = of.delete
    endpoints.push({
      method: "DELETE",
      path: one,
      id: operation,
      operation,
      tag,
      summary: `${verb} ${a}`,
      ...(description === undefined ? {} : { description }),
      responses: [{ status: 204, description: `The ${noun} is ${verb.toLowerCase()}d.` }],
      handle: ({ params }) => Effect.as(Effect.flatMap(pathId(of.id, params, resource), run), noContent)
    })
  }
  return endpoints
}
