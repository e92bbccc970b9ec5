/** Generates the OpenAPI 3.1 document from the endpoints that the server serves. */
import { type Operation, type OperationRule, operations, type Permission, Platforms } from "@earshot/core"
import {
  type RequestBody,
  type Encoding,
  type DocumentedEndpoint,
  PROTOBUF_TYPE,
  RECEIPT_TYPE,
  type ResponseDescription,
  type NamedSchema
} from "../Endpoint.js"
import {
  alternativesOf,
  isObject,
  type JsonSchema,
  makeSchemaGenerator,
  propertiesOf,
  requiredOf
} from "../JsonSchemas.js"
import { errorResponses, errorSchemas } from "./Errors.js"
import { errorStatuses } from "./errorStatuses.js"
import { VERSION } from "../Version.js"
import { withPropertyDescriptions } from "./propertyDescriptions.js"

const TAGS = [
  ["Calls", "Production calls: ingest, list, review and export."],
  ["Platforms", "Webhooks of voice platforms, and the integrations that give them addresses with signatures."],
  ["Traces", "OpenTelemetry spans of voice agents, from which calls are made."],
  ["Test suites", "Test suites as JSON: validate, estimate the cost, run."],
  ["Results", "Results of test suites, their runs of simulated calls, and capacity."],
  ["Evaluators", "Test cases: how a simulated caller behaves, and how the call is evaluated."],
  ["Personalities", "How simulated callers speak and behave, and which of them a project has enabled."],
  ["Test profiles", "Facts and variables that simulated callers use."],
  ["Phone numbers", "Numbers that simulated callers call from."],
  ["Tools", "Tools that simulated callers can use during a call."],
  ["Folders", "Folders for evaluators, with dot-separated paths."],
  ["Metrics", "Metrics, and the evaluations of calls by them."],
  ["Jobs", "Background jobs."],
  ["Credits", "The ledger of charges."],
  ["Dashboards", "Dashboards, their widgets, and the data of widgets."],
  ["Projects", "Projects, which own all other resources."],
  ["Agents", "Voice agents under observation and test."],
  ["Checkouts", "Short-lived tokens for repositories, and the connections to code hosts that issue them."],
  ["Access", "API keys, tokens, shareable links and users."],
  ["Service", "Health, readiness and metrics of the server."]
] as const

const bearer = (description: string) => ({ type: "http", scheme: "bearer", bearerFormat: "JWT", description })

const signatureIn = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description })

/** Source: interface, Authentication. */
const SECURITY_SCHEMES = {
  api_key: { type: "apiKey", in: "header", name: "X-SERVICE-API-KEY", description: "API key of an organization." },
  bearer_api_key: {
    type: "http",
    scheme: "bearer",
    description: "API key of an organization as a bearer token, for exporters of OpenTelemetry."
  },
  oauth2: bearer("Token of a connected app."),
  dashboard_session: bearer("Session of the web dashboard."),
  embedded_session: bearer("Session for embedding in other pages, restricted to given resources."),
  agent_session: bearer("Session of an agent, sent in addition to the API key."),
  retell_signature: signatureIn("x-retell-signature", "HMAC-SHA256 of the body and a time, as Retell sends it."),
  elevenlabs_signature: signatureIn(
    "elevenlabs-signature",
    "HMAC-SHA256 of a time and the body, as ElevenLabs sends it."
  ),
  standard_webhooks_signature: signatureIn(
    "webhook-signature",
    "Signature of Standard Webhooks, with the headers `webhook-id` and `webhook-timestamp`."
  ),
  vapi_secret: signatureIn("x-vapi-secret", "The secret of an integration of Vapi."),
  vapi_bearer_secret: {
    type: "http",
    scheme: "bearer",
    description: "The secret of an integration of Vapi as a bearer token."
  },
  shareable_link: {
    type: "apiKey",
    in: "header",
    name: "X-SHAREABLE-LINK",
    description: "Token of a shareable link."
  }
}

const MEDIA_TYPES: { readonly [E in Encoding]: string } = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  protobuf: PROTOBUF_TYPE
}

/**
 * Generates the document.
 *
 * @param basePath prefix of all paths, without a trailing slash
 */
export const openApi = (endpoints: ReadonlyArray<DocumentedEndpoint>, basePath: string): JsonSchema => {
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
      version: VERSION,
      description:
        "Testing and observability for AI voice agents. Trailing slashes are optional. Unknown fields of bodies are ignored. " +
        "In forms, objects and lists are JSON text, and a repeated field is a list.",
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
  /** Registers a schema and returns a reference to it. */
  readonly refer: (shape: NamedSchema) => JsonSchema
  /** Registers a schema and returns it. */
  readonly read: (shape: NamedSchema) => JsonSchema
  /** Registers a JSON Schema under a name and returns a reference to it. */
  readonly add: (name: string, schema: JsonSchema) => JsonSchema
  readonly all: () => Readonly<Record<string, JsonSchema>>
}

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const makeSchemaRegistry = (): SchemaRegistry => {
  const describer = makeSchemaGenerator()
  const registered = new Map<string, JsonSchema>()
  const add = (name: string, schema: JsonSchema): JsonSchema => {
    registered.set(name, schema)
    return referenceTo(name)
  }
  const read = ({ name, schema }: NamedSchema): JsonSchema => {
    const described = describer.describe(schema)
    const known = typeof described.$ref === "string" ? describer.named().get(referencedName(described.$ref)) : undefined
    const found = known ?? described
    registered.set(name, found)
    return found
  }
  return {
    add,
    read,
    refer: (shape) => {
      read(shape)
      return referenceTo(shape.name)
    },
    all: () => {
      const all = new Map([...describer.named(), ...registered])
      const names = new Map([...all].map(([name, schema]) => [JSON.stringify(schema), name] as const))
      const shared = new Map(
        [...all].map(([name, schema]) => [name, replaceWithReferences(schema, names, true)] as const)
      )
      return Object.fromEntries(
        [...reachable(shared, [...registered.keys()])]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, schema]) => [name, withPropertyDescriptions(name, schema)])
      )
    }
  }
}

const referencedName = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

/** Replaces inlined schemas that are registered under a name by references, such as a dashboard's widgets. */
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

/** The given schemas and all that they refer to. */
const reachable = (
  schemas: ReadonlyMap<string, JsonSchema>,
  names: ReadonlyArray<string>
): ReadonlyMap<string, JsonSchema> => {
  const found = new Map<string, JsonSchema>()
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const schema = schemas.get(name)
    if (schema === undefined || found.has(name)) continue
    found.set(name, schema)
    for (const [, other] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (other !== undefined) pending.push(other)
    }
  }
  return found
}

const describeOperation = (endpoint: DocumentedEndpoint, schemas: SchemaRegistry) => {
  const body = endpoint.operation === "raw" ? endpoint.described.body : endpoint.body
  const { operation, responses: outcomes, query } = endpoint
  const parameters = [...pathParameters(endpoint.path), ...(query === undefined ? [] : queryParameters(query))]
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description ?? `${endpoint.summary}.`,
    security: securityOf(endpoint),
    ...permissionsOf(endpoint.operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: describeRequestBody(body, schemas) }),
    responses: {
      ...Object.fromEntries(
        outcomes.map((outcome) => [String(outcome.status), describeResponse(outcome, schemas, withheldBy(operation))])
      ),
      ...Object.fromEntries(
        errorStatuses(endpoint).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }])
      )
    }
  }
}

/** What a credential has to be permitted. An extension of the document, since only schemes of OAuth 2 have scopes in it. */
const permissionsOf = (operation: DocumentedEndpoint["operation"]) => {
  if (operation === null || operation === "raw") return {}
  const { alsoNeeds, needs }: OperationRule = operations[operation]
  return { "x-permissions": [needs, ...(alsoNeeds === undefined ? [] : [alsoNeeds])] }
}

const securityOf = (endpoint: DocumentedEndpoint) =>
  endpoint.operation === null
    ? []
    : endpoint.operation === "raw"
      ? endpoint.described.security.map((scheme) => ({ [scheme]: [] }))
      : [
          ...securityRequirements(endpoint.operation),
          ...("takesBearerKeys" in endpoint ? [{ bearer_api_key: [] }] : [])
        ]

const securityRequirements = (operation: Operation): ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const { accepts, additionalCredential }: OperationRule = operations[operation]
  return accepts.map((kind) => ({
    [kind]: [],
    ...(additionalCredential === undefined ? {} : { [additionalCredential]: [] })
  }))
}

const pathParameters = (path: string) =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    ...(name === "platform" ? PLATFORM_PARAMETER : name === "public_id" ? PUBLIC_ID_PARAMETER : ID_PARAMETER)
  }))

const ID_PARAMETER = {
  description: "Identifier of the resource.",
  schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  example: 1
}

const PLATFORM_PARAMETER = {
  description: "The platform: its token or its own name.",
  schema: { type: "string", enum: Platforms.platformNames },
  example: "vapi"
}

const PUBLIC_ID_PARAMETER = {
  description: "The integration's `public_id`.",
  schema: { type: "string" },
  example: "rL0Y20zC-Fzt72VPzMSk2A3OGpe"
}

const QUERY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  cursor: "Position of the page: `next` or `previous` of another page.",
  limit: "Maximum number of items per page. Default: 50.",
  filters_v2: "Filter as JSON text, such as a widget's `effective_filters`.",
  agent_id: "Restrict to this agent.",
  agent: "Restrict to this agent.",
  project: "Restrict to this project.",
  dashboard: "Restrict to this dashboard.",
  result: "Restrict to this result.",
  status: "Restrict to this status.",
  state: "Restrict to this state.",
  kind: "Restrict to this kind.",
  reason: "Restrict to charges for this.",
  call: "Restrict to this call.",
  since: "Restrict to what was created at this time or later.",
  until: "Restrict to what was created before this time.",
  language: "Restrict to this language.",
  enabled_in: "Restrict to personalities that are enabled in this project.",
  folder_path: "Restrict to this folder; empty for evaluators in no folder.",
  tag: "Restrict to this tag.",
  search: "Restrict to evaluators whose name or instructions contain this text, ignoring case.",
  many: "Return all updated evaluators instead of the first. Default: false.",
  progress_id: "The `progress_id` of the simplification.",
  base: "The result to compare with.",
  format: "Format of the response. Default: the first.",
  points: "Maximum number of points per channel. Default: 2000.",
  token: "The token of the signed URL.",
  redact_fields: "Sensitive fields to redact, separated by commas, as in the body of the observe endpoint.",
  allow_unjudged: "Whether runs with an unknown success are skipped instead of errors. Default: false.",
  tolerance:
    "Largest difference that counts as unchanged, 0 to 1. Default: none for success rates; see the description for metrics."
}

const queryParameters = (query: NamedSchema["schema"]) => {
  const describer = makeSchemaGenerator()
  const described = describer.follow(describer.describe(query))
  const required = requiredOf(described)
  return propertiesOf(described).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...withDescription(QUERY_DESCRIPTIONS[name] ?? schema.description),
    // Lists and objects in a query are JSON text.
    ...(isScalar(schema) ? { schema } : { content: { [MEDIA_TYPES.json]: { schema } } })
  }))
}

const withDescription = (description: unknown) => (typeof description === "string" ? { description } : {})

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
  const content = body.encodings.map((encoding): readonly [string, JsonSchema] => {
    const mediaType = MEDIA_TYPES[encoding]
    if (encoding === "protobuf") return [mediaType, { schema: { type: "string", format: "binary" } }]
    if (encoding === "json") {
      return [mediaType, { schema: schemas.add(body.name, inJson), example: body.example }]
    }
    const name = files.length === 0 ? body.name : `${body.name}Form`
    const encodings = Object.fromEntries(structured.map(([field]) => [field, { contentType: MEDIA_TYPES.json }]))
    return [
      mediaType,
      {
        schema: schemas.add(name, inForm),
        example: body.example,
        ...(structured.length === 0 ? {} : { encoding: encodings })
      }
    ]
  })
  return { required: requiredOf(schema).length > 0, content: Object.fromEntries(content) }
}

const withProperties = (schema: JsonSchema, names: ReadonlyArray<string>, property: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    propertiesOf(schema).map(([name, known]) => [name, names.includes(name) ? property : known])
  )
})

/** The permission without which a caller of an operation gets a receipt. */
const withheldBy = (operation: DocumentedEndpoint["operation"]): Permission | undefined => {
  if (operation === null || operation === "raw") return undefined
  const { alsoNeeds, shows }: OperationRule = operations[operation]
  return shows === null || shows === alsoNeeds ? undefined : shows
}

const RECEIPT: JsonSchema = {
  description: "Ids only, for a caller that may not read the result of its request.",
  anyOf: [
    {
      type: "object",
      properties: {
        id: { type: "integer", description: "The id of what was created or changed." },
        progress_id: { type: "string", description: "Identifies a simplification for polling." },
        skipped_simplification: { type: "boolean", description: "Whether the prompt cannot be simplified." },
        status: { type: "string", description: "The status of a simplification." },
        event: { type: "string", description: "The event of a platform, as its receipt has it." }
      }
    },
    {
      type: "array",
      items: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "integer", description: "The id of one that was changed." } }
      }
    }
  ]
}

const describeResponse = (
  { description, mayBeProtobuf, mediaType, otherMediaTypes = [], body: shape }: ResponseDescription,
  schemas: SchemaRegistry,
  withheld: Permission | undefined
) => ({
  description:
    withheld === undefined ? description : `${description} A caller without \`${withheld}\` gets a receipt instead.`,
  ...(shape === undefined && mediaType === undefined
    ? {}
    : {
        content: {
          [mediaType ?? MEDIA_TYPES.json]: { schema: shape === undefined ? { type: "string" } : schemas.refer(shape) },
          ...(mayBeProtobuf === true ? { [PROTOBUF_TYPE]: { schema: { type: "string", format: "binary" } } } : {}),
          ...Object.fromEntries(otherMediaTypes.map((other) => [other, { schema: { type: "string" } }])),
          ...(withheld === undefined ? {} : { [RECEIPT_TYPE]: { schema: schemas.add("Receipt", RECEIPT) } })
        }
      })
})
