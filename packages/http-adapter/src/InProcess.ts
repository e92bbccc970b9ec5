/** The endpoints without a server: the same requests and responses, for programs that have the engine in their process. */
import {
  type Actor,
  CurrentActor,
  type Engine,
  type Operation,
  type StorageError,
  untrusted,
  Upload,
  withReceipts
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { decodeFormPairs, rejectPrototypeKey } from "./Body.js"
import {
  type AuthenticatedEndpoint,
  type EndpointRequest,
  JSON_TYPE,
  type ResponseContent,
  type SuccessResponse
} from "./Endpoint.js"
import {
  challengeFor,
  type HttpError,
  type HttpResponseError,
  messageErrors,
  toErrorResponse
} from "./ErrorResponses.js"
import { type FormEntry, type FormFields, formFields } from "./FormFields.js"
import { parseJson } from "./JsonText.js"
import { defaultLimits, type HttpLimits } from "./Limits.js"
import type { PartSource } from "./PacedBody.js"
import { receiptResponse } from "./requestRunner.js"
import { endpoints } from "./routes/index.js"

/** The caller of this process may send as much as the process can hold. */
const limits: HttpLimits = { ...defaultLimits, bodyBytes: Infinity, multipartBytes: Infinity, jsonNodes: Infinity }

interface Route {
  readonly endpoint: AuthenticatedEndpoint
  readonly pattern: RegExp
  readonly fields: { body?: FormFields; query?: FormFields }
}

const routeOf = (endpoint: AuthenticatedEndpoint): Route => ({
  endpoint,
  pattern: new RegExp(
    `^${endpoint.path
      .replaceAll(".", "\\.")
      .replace(/:(\w+)/g, "(?<$1>[^/]+)")
      .replace(/\/?$/, "/?")}$`
  ),
  fields: {}
})

/** Those that are operations of the engine. Fixed paths come before those with parameters, which they would match too. */
const routes: ReadonlyArray<Route> = endpoints
  .filter((endpoint) => endpoint.operation !== null)
  .map(routeOf)
  .toSorted((a, b) => Number(a.endpoint.path.includes(":")) - Number(b.endpoint.path.includes(":")))

/**
 * Handles a request to an endpoint as the server does, for the actor that `admit` finds. A failure of the storage is not
 * turned into a response, so that the caller learns its cause.
 */
export const respond = (
  request: Request,
  admit: (operation: Operation) => Effect.Effect<Actor, HttpError>
): Effect.Effect<Response, StorageError, Engine.Services> => {
  const { pathname, search } = new URL(request.url)
  for (const route of routes) {
    if (route.endpoint.method !== request.method) continue
    const found = route.pattern.exec(pathname)
    if (found !== null) return run(route, request, { ...found.groups }, search.slice(1), admit)
  }
  return Effect.succeed(errorResponse(messageErrors.notFound, ""))
}

const run = (
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  query: string,
  admit: (operation: Operation) => Effect.Effect<Actor, HttpError>
): Effect.Effect<Response, StorageError, Engine.Services> => {
  const { endpoint } = route
  const input = Effect.all({
    params: Either.try({
      try: () => Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)])),
      catch: () => messageErrors.malformedUrl
    }),
    query: readQuery(route, query),
    body: Effect.map(readBody(route, request), untrusted),
    headers: Effect.succeed(Object.fromEntries(request.headers)),
    isHead: Effect.succeed(false)
  })
  const answered = Effect.flatMap(admit(endpoint.operation), (actor) =>
    withReceipts(Effect.flatMap(input, endpoint.handle)).pipe(
      Effect.catchTag("ResultWithheld", (withheld) => Effect.succeed(receiptResponse(endpoint, withheld))),
      Effect.provideService(CurrentActor, actor)
    )
  )
  const challenge = challengeFor(endpoint.operation)
  return Effect.matchEffect(answered, {
    onSuccess: (response) => Effect.succeed(successResponse(response)),
    onFailure: (error) => (isStorageError(error) ? Effect.fail(error) : Effect.succeed(errorResponse(error, challenge)))
  })
}

const isStorageError = (error: HttpError): error is StorageError =>
  error._tag === "StorageBusy" || error._tag === "StorageFailed" || error._tag === "StorageUnusable"

const readQuery = (
  { endpoint, fields }: Route,
  text: string
): Either.Either<EndpointRequest["query"], HttpResponseError> => {
  const none: Readonly<Record<string, unknown>> = {}
  if (endpoint.query === undefined) return Either.right(untrusted(none))
  const known = (fields.query ??= formFields(endpoint.query))
  return Either.flatMap(
    Either.mapLeft(decodeFormPairs(text), () => messageErrors.malformedQuery),
    (entries) => Either.map(known.collect(limits, entries), (query) => untrusted(query))
  )
}

/** The body: JSON, or a form as browsers encode it. */
const readBody = ({ endpoint, fields }: Route, request: Request): Effect.Effect<unknown, HttpResponseError> => {
  const { body } = endpoint
  if (body === undefined) return Effect.succeed(undefined)
  if (request.body === null) return Effect.succeed({})
  const type = request.headers.get("content-type") ?? ""
  if (type.startsWith("multipart/form-data") && body.encodings.includes("multipart")) {
    const known = (fields.body ??= formFields(body.schema))
    return Effect.flatMap(readEntries(request), (entries) =>
      Either.flatMap(known.collect(limits, entries), rejectPrototypeKey)
    )
  }
  return type.startsWith("application/json")
    ? Effect.flatMap(
        Effect.tryPromise({ try: () => request.arrayBuffer(), catch: () => messageErrors.malformedRequest }),
        (bytes) => Either.flatMap(parseJson(limits, Buffer.from(bytes)), rejectPrototypeKey)
      )
    : Effect.fail(messageErrors.unsupportedMediaType(type))
}

const readEntries = (request: Request): Effect.Effect<ReadonlyArray<FormEntry>, HttpResponseError> =>
  Effect.tryPromise({
    try: async () => {
      // eslint-disable-next-line typescript/no-deprecated -- discouraged for bodies of strangers; this one is of this process
      const form = await request.formData()
      return Promise.all(
        [...form].map(async ([name, value]): Promise<FormEntry> => [
          name,
          typeof value === "string"
            ? value
            : new Upload(new Uint8Array(await value.arrayBuffer()), value.type, value.name)
        ])
      )
    },
    catch: () => messageErrors.malformedForm
  })

const successResponse = ({ content, headers, status }: SuccessResponse): Response =>
  content === undefined
    ? new Response(null, { status, ...(headers === undefined ? {} : { headers }) })
    : new Response(bodyOf(content), {
        status,
        headers: { ...headers, "content-type": content.type ?? JSON_TYPE }
      })

const bodyOf = (content: ResponseContent): string | Uint8Array | ReadableStream<Uint8Array> => {
  switch (content.as) {
    case "json":
      return JSON.stringify(content.value)
    case "text":
      return typeof content.text === "string" ? content.text : new Uint8Array(content.text)
    case "parts":
      return streamOf(content.source)
  }
}

/** The parts of a source as they are asked for. */
const streamOf = (source: PartSource): ReadableStream<Uint8Array> => {
  const close = () =>
    new Promise<void>((resolve) => {
      source.close(resolve)
    })
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise((resolve) => {
          source.next((part) => {
            if (part !== null && part !== undefined) {
              controller.enqueue(part)
              resolve()
              return
            }
            if (part === null) controller.close()
            else controller.error(new Error("The stream failed."))
            resolve(close())
          })
        }),
      cancel: close
    },
    { highWaterMark: 0 }
  )
}

const errorResponse = (error: HttpError, challenge: string): Response => {
  const { body, headers, status } = toErrorResponse(error, "", challenge)
  return new Response(JSON.stringify(body), { status, headers: { ...headers, "content-type": JSON_TYPE } })
}
