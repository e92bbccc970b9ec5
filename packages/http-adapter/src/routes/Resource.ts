import { type CurrentActor, type Engine, Fields, type NotFound, type Operation, type Pages } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type RequestBody, type Encoding, type Endpoint, json, noContent, type NamedSchema } from "../Endpoint.js"
import { type HttpError, notFound } from "../ErrorResponses.js"

/** A use case as a route calls it. */
type UseCase<A> = Effect.Effect<A, HttpError, Engine.Services | CurrentActor>

interface WriteOperation {
  readonly operation: Operation
  readonly schema: Schema.Schema.All
  readonly encodings: ReadonlyArray<Encoding>
  readonly example: RequestBody["example"]
  readonly description?: string
}

/**
 * The endpoints that a kind of thing has in common: create (201), list, read, patch, delete (204) under one path. Each
 * is there if its use case is given.
 */
export interface Resource<Id extends number, Noun> {
  readonly path: `/${string}/`
  readonly tag: string
  /** What one is called in sentences, `API key`, and in the document, `ApiKey`. */
  readonly noun: string
  readonly name: string
  /** What the engine calls it when it is not there; `name` unless told. */
  readonly resource?: string
  readonly id: Schema.Schema<Id, number>
  readonly wire: Schema.Schema.All
  readonly encode: (noun: Noun) => unknown
  readonly create?: WriteOperation & {
    /** Answers what was made, as it travels. */
    readonly run: (body: unknown) => UseCase<unknown>
    /** What is shown this once, where that is more than is shown later. */
    readonly shape?: NamedSchema
  }
  readonly list?: {
    readonly operation: Operation
    readonly query: Schema.Schema.All
    readonly run: (query: unknown) => UseCase<Pages.Page<Noun>>
  }
  readonly read?: { readonly operation: Operation; readonly run: (id: Id) => UseCase<Noun> }
  readonly update?: WriteOperation & { readonly run: (id: Id, body: unknown) => UseCase<Noun> }
  readonly delete?: {
    readonly operation: Operation
    readonly description?: string
    readonly run: (id: Id) => UseCase<void>
  }
}

/** The id that a path names. What is no id names nothing: 404, as for any other thing that is not there. */
export const pathId = <Id extends number>(
  id: Schema.Schema<Id, number>,
  params: Readonly<Record<string, string>>,
  noun: string
): Either.Either<Id, NotFound> => {
  const text = params.id ?? ""
  // Digits and nothing else: what the fields of bodies let pass, such as a space, is part of a name here.
  return /^[1-9]\d*$/.test(text)
    ? Either.mapLeft(Schema.decodeUnknownEither(Fields.id(id))(text), () => notFound(noun))
    : Either.left(notFound(noun))
}

/** A page as it travels. Source: design, lists beyond the interface. */
export const pageSchema = (item: NamedSchema): NamedSchema => ({
  name: `${item.name}Page`,
  schema: Schema.Struct({
    next: Schema.NullOr(Schema.String),
    previous: Schema.NullOr(Schema.String),
    results: Schema.Array(Schema.make(item.schema.ast))
  })
})

const withArticle = (noun: string): string => (/^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`)

export const resource = <Id extends number, Noun>(of: Resource<Id, Noun>): ReadonlyArray<Endpoint> => {
  const { name, noun, path, resource = name, tag } = of
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
      responses: [{ status: 201, description: `The ${noun} that was made.`, body: shown ?? shape }],
      handle: ({ body }) => Effect.map(run(body), (made) => json(201, made))
    })
  }
  if (of.list !== undefined) {
    const { operation, query, run } = of.list
    endpoints.push({
      method: "GET",
      path,
      id: operation,
      operation,
      tag,
      summary: `List ${noun}s`,
      description: "Newest first, a page at a time: hand `next` back as `cursor` for the page after this one.",
      query,
      responses: [{ status: 200, description: `A page of ${noun}s.`, body: pageSchema(shape) }],
      handle: (request) =>
        Effect.map(run(request.query), ({ next, previous, results }) =>
          json(200, { next, previous, results: results.map(of.encode) })
        )
    })
  }
  if (of.read !== undefined) {
    const { operation, run } = of.read
    endpoints.push({
      method: "GET",
      path: one,
      id: operation,
      operation,
      tag,
      summary: `Read ${a}`,
      responses: [{ status: 200, description: `The ${noun}.`, body: shape }],
      handle: ({ params }) =>
        Effect.map(Effect.flatMap(pathId(of.id, params, resource), run), (found) => json(200, of.encode(found)))
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
      description: description ?? "Fields that are left out stay as they are.",
      body: { name: `${name}Patch`, schema, encodings, example },
      responses: [{ status: 200, description: `The ${noun} as it is now.`, body: shape }],
      handle: ({ body, params }) =>
        Effect.map(
          Effect.flatMap(pathId(of.id, params, resource), (id) => run(id, body)),
          (changed) => json(200, of.encode(changed))
        )
    })
  }
  if (of.delete !== undefined) {
    const { description, operation, run } = of.delete
    endpoints.push({
      method: "DELETE",
      path: one,
      id: operation,
      operation,
      tag,
      summary: `Delete ${a}`,
      ...(description === undefined ? {} : { description }),
      responses: [{ status: 204, description: `The ${noun} is gone.` }],
      handle: ({ params }) => Effect.as(Effect.flatMap(pathId(of.id, params, resource), run), noContent)
    })
  }
  return endpoints
}
