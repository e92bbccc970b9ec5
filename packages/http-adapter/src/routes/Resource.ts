import { type CurrentActor, type Engine, Fields, type NotFound, type Operation, type Pages } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type RequestBody, type Encoding, type Endpoint, json, noContent, type NamedSchema } from "../Endpoint.js"
import { type HttpError, notFound } from "../ErrorResponses.js"

/** A use case of the engine. */
type UseCase<A> = Effect.Effect<A, HttpError, Engine.Services | CurrentActor>

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
    readonly run: (body: unknown) => UseCase<unknown>
    /** The schema of the response, if it contains more than later reads, such as a secret. */
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
  if (of.list !== undefined) {
    const { operation, query, run } = of.list
    endpoints.push({
      method: "GET",
      path,
      id: operation,
      operation,
      tag,
      summary: `List ${plural}`,
      description: "Returns one page, newest first. Pass `next` as `cursor` to get the next page.",
      query,
      responses: [{ status: 200, description: `A page of ${plural}.`, body: pageSchema(shape) }],
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
