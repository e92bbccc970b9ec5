/** Validates responses against the OpenAPI document that the server publishes. */
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"

export interface ObservedResponse {
  readonly method: string
  /** The requested path without its query. */
  readonly path: string
  readonly status: number
  readonly type: string
  readonly text: string
}

export interface Contract {
  /** How a response deviates from the document; undefined if it does not. */
  readonly violation: (answered: ObservedResponse) => string | undefined
  /** Every operation of the document with the statuses that were observed. */
  readonly seen: ReadonlyMap<string, ReadonlySet<number>>
}

type Node = Readonly<Record<string, unknown>>

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value at a path of a document, or undefined. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (node, key) => (isNode(node) ? node[key] : Array.isArray(node) ? node[Number(key)] : undefined),
    value
  )

/** The value at a path of a document as text. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => String(at(value, ...path))

/** Statuses that are returned before routing and are not repeated for each operation. */
const STATUSES_BEFORE_ROUTING = new Set([404, 405, 408, 417, 431])

/** The document does not describe itself or the documentation page. */
const UNDOCUMENTED_PATHS = /^(?:\/openapi\.json|\/docs(?:\/[a-z.-]+)?)\/?$/

const METHODS = ["get", "post", "patch", "delete"]

/** What validates the responses of a document, and its operations: plain paths first. */
const readDocument = (document: unknown, basePath: string) => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  formats.default(ajv)
  ajv.addFormat("binary", true)
  if (isNode(document)) ajv.addSchema(document, "api")
  const paths = at(document, "paths")
  const known = Object.entries(isNode(paths) ? paths : {}).map(([path, item]) => {
    const pattern = path
      .replace(/\/$/, "")
      .replace(/\{[a-z_]+\}/g, "[^/]+")
      .replaceAll(".", "\\.")
    return { path, item, pattern: new RegExp(`^${basePath}${pattern}/?$`), isPlain: !path.includes("{") }
  })
  return { ajv, document, known: known.toSorted((a, b) => Number(b.isPlain) - Number(a.isPlain)) }
}

const readDocuments = new Map<string, ReturnType<typeof readDocument>>()

/** The contract of a server that publishes this document. What its responses are validated by is compiled once. */
export const contractOf = (text: string, basePath = ""): Contract => {
  const key = `${basePath} ${text}`
  const read = readDocuments.get(key) ?? readDocument(JSON.parse(text), basePath)
  readDocuments.set(key, read)
  return makeContract(read, basePath)
}

const makeContract = ({ ajv, document, known }: ReturnType<typeof readDocument>, basePath: string): Contract => {
  const seen = new Map<string, Set<number>>()
  for (const { item, path } of known) {
    for (const method of METHODS) if (at(item, method) !== undefined) seen.set(`${method} ${path}`, new Set())
  }

  const pointer = (...keys: ReadonlyArray<string>) =>
    `api#/${keys.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`
  const isValid = (reference: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(reference)
    if (validate === undefined) return `no schema at ${reference}`
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
  }
  const parsed = (text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }

  const undocumentedViolation = (
    { method, path, status, text, type }: ObservedResponse,
    hasOperation: boolean
  ): string | undefined => {
    if (status === 204 && method === "OPTIONS") return undefined
    if (status === 200 && UNDOCUMENTED_PATHS.test(path.slice(basePath.length))) return undefined
    if (hasOperation && !STATUSES_BEFORE_ROUTING.has(status)) return `status ${status} is not documented`
    if (status >= 500) return `status ${status}`
    const media = type.split(";")[0] ?? ""
    return status < 400 || media !== "application/json"
      ? `${status} ${media} of no operation`
      : isValid(pointer("components", "schemas", "Detail"), parsed(text))
  }

  const violation = ({ method, path, status, text, type }: ObservedResponse): string | undefined => {
    const operation = method === "HEAD" ? "get" : method.toLowerCase()
    const media = type.split(";")[0] ?? ""
    const found = known.find(({ item, pattern }) => pattern.test(path) && at(item, operation) !== undefined)
    const responses = at(found?.item, operation, "responses")
    const documented = at(responses, String(status))
    if (found !== undefined) seen.get(`${operation} ${found.path}`)?.add(status)
    if (method === "HEAD") return text === "" ? undefined : "a body for HEAD"
    if (documented === undefined)
      return undocumentedViolation({ method, path, status, text, type }, found !== undefined)
    const reference = at(documented, "$ref")
    const place =
      typeof reference === "string"
        ? ["components", "responses", reference.slice(reference.lastIndexOf("/") + 1)]
        : ["paths", found?.path ?? "", operation, "responses", String(status)]
    const content = at(document, ...place, "content")
    if (content === undefined) return text === "" ? undefined : "a body where none is documented"
    const mediaTypes = Object.keys(isNode(content) ? content : {})
    const mediaType = mediaTypes.find((one) => one.split(";")[0] === media)
    if (mediaType === undefined) return `${media} instead of ${mediaTypes.join()}`
    const schema = pointer(...place, "content", mediaType, "schema")
    const values =
      media === "application/x-ndjson"
        ? text
            .split("\n")
            .filter((line) => line !== "")
            .map(parsed)
        : [/^application\/(?:.*\+)?json$/.test(media) ? parsed(text) : text]
    return values.map((value) => isValid(schema, value)).find((wrong) => wrong !== undefined)
  }
  return { violation: (observed) => withRequest(observed, violation(observed)), seen }
}

const withRequest = (
  { method, path, status, text }: ObservedResponse,
  wrong: string | undefined
): string | undefined =>
  wrong === undefined ? undefined : `${method} ${path} ${status}: ${wrong}\n${text.slice(0, 500)}`
