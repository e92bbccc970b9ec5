/** The OpenAPI 3.1 document, made of the same endpoints as the server. */
import { type Operation, type OperationRule, operations } from "@earshot/core"
import type { RequestBody, Encoding, Endpoint, ResponseDescription, NamedSchema } from "../Endpoint.js"
import {
  alternativesOf,
  isObject,
  type JsonSchema,
  makeSchemaGenerator,
  propertiesOf,
  requiredOf
} from "../JsonSchemas.js"
import { type ErrorName, errorResponses, errorSchemas } from "./Errors.js"

const TAGS = [
  ["Calls", "Production calls: taken in, listed, reviewed."],
  ["Test suites", "Files that say how an agent is tested: what they would do, what they would cost, and running them."],
  ["Results", "Runs of simulated calls, and what they hold of what there is."],
  ["Evaluators", "Test cases: how a simulated caller behaves, and what is asked of the call."],
  ["Personalities", "How simulated callers speak and behave, and which of them a project has enabled."],
  ["Test profiles", "What simulated callers know about themselves."],
  ["Phone numbers", "Numbers that simulated callers call from."],
  ["Tools", "What simulated callers can use while they talk."],
  ["Folders", "Places for evaluators, under dot-separated paths."],
  ["Metrics", "What is asked of calls, and what they scored."],
  ["Jobs", "What is done after a request was answered."],
  ["Credits", "What was charged."],
  ["Dashboards", "Dashboards, their widgets, and what widgets show."],
  ["Projects", "What everything else belongs to."],
  ["Agents", "The voice agents that are observed and tested."],
  ["Checkouts", "Keys that read one repository for an hour, and the connections to code hosts that they come from."],
  ["Access", "API keys, tokens, shareable links and people."],
  ["Service", "The server itself."]
] as const

const bearer = (description: string) => ({ type: "http", scheme: "bearer", bearerFormat: "JWT", description })

/** Source: interface, Authentication. */
const SECURITY_SCHEMES = {
  api_key: { type: "apiKey", in: "header", name: "X-SERVICE-API-KEY", description: "An organisation's API key." },
  oauth2: bearer("A token of a connected app."),
  dashboard_session: bearer("A session of the web dashboard."),
  embedded_session: bearer("A session bound to some resources, for pages of others."),
  agent_session: bearer("An agent's session, beside the API key."),
  shareable_link: {
    type: "apiKey",
    in: "header",
    name: "X-SHAREABLE-LINK",
    description: "What a shareable link holds."
  }
}

const MEDIA_TYPES: { readonly [E in Encoding]: string } = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data"
}

/**
 * The document of these endpoints.
 *
 * @param basePath what all paths begin with, without a slash at its end
 */
export const openApi = (endpoints: ReadonlyArray<Endpoint>, basePath: string): JsonSchema => {
  const schemas = makeSchemaRegistry()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:([a-z_]+)/g, "{$1}")
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, schemas) }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Earshot",
      version: "1.0.0",
      description:
        "Tests and observes AI voice agents. Every path answers with and without a slash at its end. Fields of a body " +
        "that are not named here are passed over. In a form, objects and lists are JSON text, and repeated fields make a list.",
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...schemas.all(), ...errorSchemas },
      responses: errorResponses,
      securitySchemes: SECURITY_SCHEMES
    }
  }
}

interface SchemaRegistry {
  /** A reference to the schema of a shape. */
  readonly refer: (shape: NamedSchema) => JsonSchema
  /** The schema of a shape, as it is kept under its name. */
  readonly read: (shape: NamedSchema) => JsonSchema
  /** Keeps a schema under a name of its own, and refers to it. */
  readonly keep: (name: string, schema: JsonSchema) => JsonSchema
  readonly all: () => Readonly<Record<string, JsonSchema>>
}

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const makeSchemaRegistry = (): SchemaRegistry => {
  const describer = makeSchemaGenerator()
  const kept = new Map<string, JsonSchema>()
  const keep = (name: string, schema: JsonSchema): JsonSchema => {
    kept.set(name, schema)
    return referenceTo(name)
  }
  const read = ({ name, schema }: NamedSchema): JsonSchema => {
    const described = describer.describe(schema)
    const known = typeof described.$ref === "string" ? describer.named().get(referencedName(described.$ref)) : undefined
    const found = known ?? described
    kept.set(name, found)
    return found
  }
  return {
    keep,
    read,
    refer: (shape) => {
      read(shape)
      return referenceTo(shape.name)
    },
    all: () => {
      const all = new Map([...describer.named(), ...kept])
      const names = new Map([...all].map(([name, schema]) => [JSON.stringify(schema), name] as const))
      const shared = new Map(
        [...all].map(([name, schema]) => [name, replaceWithReferences(schema, names, true)] as const)
      )
      return Object.fromEntries([...reachable(shared, [...kept.keys()])].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    }
  }
}

const referencedName = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

/** The same schema with what has a name elsewhere referred to: a dashboard's widgets are widgets. */
const replaceWithReferences = (schema: JsonSchema, names: ReadonlyMap<string, string>, isRoot = false): JsonSchema => {
  const name = isRoot ? undefined : names.get(JSON.stringify(schema))
  if (name !== undefined) return referenceTo(name)
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === "properties" && isObject(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, one]) => [key, isObject(one) ? replaceWithReferences(one, names) : one])
          )
        : Array.isArray(value)
          ? value.map((one: unknown) => (isObject(one) ? replaceWithReferences(one, names) : one))
          : (keyword === "items" || keyword === "additionalProperties") && isObject(value)
            ? replaceWithReferences(value, names)
            : value
    ])
  )
}

/** Those of the schemas that the given ones refer to, themselves included: the others nobody would find. */
const reachable = (
  schemas: ReadonlyMap<string, JsonSchema>,
  names: ReadonlyArray<string>
): ReadonlyMap<string, JsonSchema> => {
  const found = new Map<string, JsonSchema>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = schemas.get(name)
    if (schema === undefined || found.has(name)) continue
    found.set(name, schema)
    for (const [, other] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (other !== undefined) waiting.push(other)
    }
  }
  return found
}

const describeOperation = (endpoint: Endpoint, schemas: SchemaRegistry) => {
  const { body, operation, responses: outcomes, query } = endpoint
  const parameters = [...pathParameters(endpoint.path), ...(query === undefined ? [] : queryParameters(query))]
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description ?? `${endpoint.summary}.`,
    security: operation === null ? [] : securityRequirements(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: describeRequestBody(body, schemas) }),
    responses: {
      ...Object.fromEntries(outcomes.map((outcome) => [String(outcome.status), describeResponse(outcome, schemas)])),
      ...Object.fromEntries(
        errorStatuses(endpoint).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }])
      )
    }
  }
}

const securityRequirements = (operation: Operation): ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const { accepts, additionalCredential: beside }: OperationRule = operations[operation]
  return accepts.map((kind) => ({ [kind]: [], ...(beside === undefined ? {} : { [beside]: [] }) }))
}

const pathParameters = (path: string) =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    example: 1
  }))

const QUERY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  cursor: "Where the page begins: `next` or `previous` of another page.",
  limit: "How many at most; 50 unless told.",
  filters_v2: "A filter as JSON text, such as a widget's `effective_filters`.",
  agent_id: "Only those of this agent.",
  agent: "Only those of this agent.",
  project: "Only those of this project.",
  dashboard: "Only those of this dashboard.",
  result: "Only those of this result.",
  status: "Only those in this state.",
  base: "The result that it is compared with.",
  tolerance: "What difference counts as none: 0 (unless told) to 1."
}

const queryParameters = (query: NamedSchema["schema"]) => {
  const describer = makeSchemaGenerator()
  const described = describer.follow(describer.describe(query))
  const required = requiredOf(described)
  return propertiesOf(described).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(QUERY_DESCRIPTIONS[name] === undefined ? {} : { description: QUERY_DESCRIPTIONS[name] }),
    // A list or an object in a query is JSON text.
    ...(isScalar(schema) ? { schema } : { content: { [MEDIA_TYPES.json]: { schema } } })
  }))
}

const isScalar = (schema: JsonSchema): boolean =>
  alternativesOf(schema).every((one) =>
    ["string", "integer", "number", "boolean", "null"].some((type) => one.type === type)
  )

const isFile = (schema: JsonSchema): boolean => alternativesOf(schema).some((one) => one.format === "binary")

const describeRequestBody = (body: RequestBody, schemas: SchemaRegistry) => {
  const schema = schemas.read(body)
  const properties = propertiesOf(schema)
  const files = properties.filter(([, property]) => isFile(property)).map(([name]) => name)
  const inJson = files.length === 0 ? schema : withProperties(schema, files, { type: "null" })
  const inForm = files.length === 0 ? schema : withProperties(schema, files, { type: "string", format: "binary" })
  const structured = properties.filter(([name, property]) => !files.includes(name) && !isScalar(property))
  const content = body.encodings.map((encoding) => {
    const mediaType = MEDIA_TYPES[encoding]
    if (encoding === "json") {
      return [mediaType, { schema: schemas.keep(body.name, inJson), example: body.example }] as const
    }
    const name = files.length === 0 ? body.name : `${body.name}Form`
    const encodings = Object.fromEntries(structured.map(([field]) => [field, { contentType: MEDIA_TYPES.json }]))
    return [
      mediaType,
      {
        schema: schemas.keep(name, inForm),
        example: body.example,
        ...(structured.length === 0 ? {} : { encoding: encodings })
      }
    ] as const
  })
  return { required: requiredOf(schema).length > 0, content: Object.fromEntries(content) }
}

const withProperties = (schema: JsonSchema, names: ReadonlyArray<string>, property: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    propertiesOf(schema).map(([name, known]) => [name, names.includes(name) ? property : known])
  )
})

const describeResponse = ({ description, mediaType, body: shape }: ResponseDescription, schemas: SchemaRegistry) => ({
  description,
  ...(shape === undefined && mediaType === undefined
    ? {}
    : {
        content: {
          [mediaType ?? MEDIA_TYPES.json]: { schema: shape === undefined ? { type: "string" } : schemas.refer(shape) }
        }
      })
})

/** The errors that an endpoint can answer with, besides those of messages that are no requests to it. */
const errorStatuses = ({
  body,
  id,
  operation,
  path,
  query,
  errorStatuses: refusals = []
}: Endpoint): ReadonlyArray<readonly [string, ErrorName]> => [
  // A path that has a parameter may be no text at all, such as `%ff`.
  ...(body !== undefined || query !== undefined || path.includes(":") ? [["400", "Invalid"] as const] : []),
  ...(operation === null
    ? []
    : ([
        ["401", "Unauthenticated"],
        ["403", "Forbidden"]
      ] as const)),
  ...(path.includes(":") || refusals.includes(404) ? [["404", "NotFound"] as const] : []),
  ...(refusals.includes(409) ? [["409", "Conflict"] as const] : []),
  ...(body === undefined
    ? []
    : ([
        ["413", "TooLarge"],
        ["415", "UnsupportedMediaType"]
      ] as const)),
  ...(operation === null
    ? id === "service.ready"
      ? [["503", "Busy"] as const]
      : []
    : ([
        ["429", "RateLimited"],
        ["500", "ServerError"],
        ...(refusals.includes(502) ? [["502", "CodeHostFailed"] as const] : []),
        ["503", "Busy"]
      ] as const))
]
