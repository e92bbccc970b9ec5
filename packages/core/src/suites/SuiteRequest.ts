/** Parses the body of a validation or of a run: the spec, in whichever form it was sent, and the fields beside it. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Channel } from "../catalog/Agent.js"
import { Upload } from "../calls/Upload.js"
import {
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  Messages,
  NON_FIELD,
  noFieldErrors
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, PhoneNumberId } from "../kernel/Ids.js"
import { type InputReader, inputReader } from "../kernel/InputReader.js"
import { isPlainObject, Json, jsonError, type JsonErrors, jsonErrors, JsonObject } from "../kernel/Json.js"
import { type ParsedSuite, parseSuite } from "./ParseSuite.js"
import type { PlanRequest } from "./PlanSuite.js"
import { SuiteLimits } from "./Suite.js"
import { decodeSuiteBytes, decodeSuiteText, jsonSyntax, syntaxOf } from "./SuiteFile.js"
import type { SuiteSyntax, SuiteText, SyntaxName } from "./SuiteText.js"

const NOT_A_FILE = "The submitted data was not a file. Check the encoding type on the form."

const SuiteUpload = Schema.declare(
  (value): value is Upload | string => value instanceof Upload || typeof value === "string",
  {
    message: () => ({ message: NOT_A_FILE, override: true }),
    jsonSchema: {
      type: "string",
      format: "binary",
      description: "A .json, .yaml or .yml file, or the scenarios as .csv, of at most 1 MB (YAML: 256 kB)."
    }
  }
)

const fields = {
  agent: Fields.nullable(Fields.id(AgentId)),
  name: Fields.nullable(Fields.text({ max: SuiteLimits.suiteName })),
  channel: Fields.choiceOrNone(Channel.literals),
  data: Fields.nullable(JsonObject),
  keys: Fields.nullable(Fields.list(Fields.text({ max: SuiteLimits.key }), { max: SuiteLimits.scenarios })),
  tags: Fields.nullable(Fields.list(Fields.text({ max: SuiteLimits.tag }), { max: SuiteLimits.tags }))
}

/** The body of E1, for API descriptions; `parseSuiteRequest` parses it. */
export const SuiteRequestInput = Fields.object({
  spec: Fields.optional(Json),
  file: Fields.optional(SuiteUpload),
  agent_id: Fields.optional(fields.agent),
  name: Fields.optional(fields.name),
  channel: Fields.optional(fields.channel),
  scenario_keys: Fields.optional(fields.keys),
  scenario_tags: Fields.optional(fields.tags),
  provider_e_data: Fields.optional(fields.data),
  provider_d_data: Fields.optional(fields.data)
})

/** The body of a run: that of E1, and the id of the number that voice runs call from. */
export const SuiteRunInput = Fields.object({
  ...SuiteRequestInput.fields,
  phone_number: Fields.optional(Fields.nullable(Fields.id(PhoneNumberId)))
})

/** A request as far as it could be parsed. */
export interface SuiteRequest extends PlanRequest {
  /** The agent to test: the request's, or else the spec's. */
  readonly agentId: AgentId | undefined
  /** Undefined where there is no document to parse. */
  readonly suite: ParsedSuite | undefined
  /** Those of the request; those of the spec are in `suite`. */
  readonly errors: FieldErrors
}

/** The document, or what is wrong with the whole of it. */
type Decoded = Either.Either<SuiteText, FieldErrors>

/** Moves errors of the document as a whole to the field that it was sent in. */
const underField = (field: string, { [NON_FIELD]: whole, ...errors }: FieldErrors): FieldErrors =>
  whole === undefined ? errors : mergeFieldErrors(fieldError(field, ...whole), errors)

const decodedFrom = (field: string, decoded: Decoded): Decoded =>
  Either.mapLeft(decoded, (errors) => underField(field, errors))

/** A data URI: its media type, its encoding, and its data. */
const DATA_URI = /^data:([^,;]*)[^,]*?(;base64)?,/i

const decodeDataUri = (base64: boolean, data: string): Either.Either<Uint8Array, FieldErrors> =>
  base64
    ? Either.right(Buffer.from(data, "base64"))
    : Either.try({
        try: () => Buffer.from(decodeURIComponent(data)),
        catch: () => fieldError("file", "The data URI is malformed.")
      })

/** The bytes of an uploaded file with what tells its syntax. */
interface SentFile {
  readonly bytes: Uint8Array
  readonly name: string
  readonly type: string
}

const sentFile = (file: unknown): Either.Either<SentFile, FieldErrors> => {
  if (file instanceof Upload) {
    const { bytes, contentType: type, filename: name } = file
    return name !== "" && !/\.(?:json|ya?ml|csv)$/i.test(name)
      ? Either.left(fieldError("file", "A spec is a .json, .yaml, .yml or .csv file."))
      : Either.right({ bytes, name, type })
  }
  if (typeof file !== "string") return Either.left(fieldError("file", NOT_A_FILE))
  const dataUri = DATA_URI.exec(file)
  if (dataUri !== null) {
    return Either.map(decodeDataUri(dataUri[2] !== undefined, file.slice(dataUri[0].length)), (bytes) => ({
      bytes,
      name: "",
      type: dataUri[1] ?? ""
    }))
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(file)
    ? Either.left(fieldError("file", "Send the file itself; URLs are not fetched."))
    : Either.right({ bytes: Buffer.from(file), name: "", type: "" })
}

const decodeFile = (file: unknown, syntax: SuiteSyntax): Decoded =>
  Either.flatMap(sentFile(file), ({ bytes, name }) =>
    decodedFrom("file", decodeSuiteBytes(bytes, syntax, name.replace(/\.[a-z]+$/i, "").slice(0, SuiteLimits.suiteName)))
  )

/** The syntax of the spec that a request holds as text; its reader is passed to `parseSuiteRequest`. */
export const syntaxOfRequest = (input: unknown): SyntaxName => {
  if (!isPlainObject(input)) return "json"
  const spec = valueOf(input, "spec")
  if (typeof spec === "string") return syntaxOf(spec)
  const file = valueOf(input, "file")
  return file === undefined
    ? "json"
    : Either.match(sentFile(file), {
        onLeft: () => "json",
        // A few bytes show how the text begins.
        onRight: (sent) => syntaxOf(new TextDecoder().decode(sent.bytes.subarray(0, 1000)), sent)
      })
}

const noJsonErrors: JsonErrors = { isBounded: true, errors: noFieldErrors }

/** A JSON object of bounded depth and size, with an error for everything in it that no database could store. */
const requireBoundedObject = (field: string, { document, errors }: SuiteText): Decoded => {
  const found = jsonError(document) === undefined ? noJsonErrors : jsonErrors(document)
  if (!found.isBounded) return Either.left(underField(field, found.errors))
  return typeof document !== "object" || document === null || Array.isArray(document)
    ? Either.left(fieldError(field, `A spec is a JSON object${Array.isArray(document) ? ", not a list" : ""}.`))
    : Either.right({ document, errors: mergeFieldErrors(errors, underField(field, found.errors)) })
}

const decodeSpec = (spec: unknown, syntax: SuiteSyntax): Decoded => {
  if (typeof spec === "string") return decodedFrom("spec", decodeSuiteText(spec, syntax))
  // Measured as it would be printed: what was posted may have had whitespace.
  return jsonError(spec) === undefined && Buffer.byteLength(JSON.stringify(spec)) > SuiteLimits.bytes
    ? Either.left(fieldError("spec", `Ensure this document has no more than ${SuiteLimits.bytes} bytes.`))
    : Either.right({ document: spec, errors: noFieldErrors })
}

const valueOf = (body: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined

/** The document in `spec` or `file`, of which exactly one is to be given. */
const documentOf = (input: unknown, syntax: SuiteSyntax): Decoded => {
  if (!isPlainObject(input)) return Either.left(noFieldErrors)
  const spec = valueOf(input, "spec")
  const file = valueOf(input, "file")
  if (spec !== undefined && file !== undefined) return Either.left(fieldError("file", "Give spec or file, not both."))
  if (spec !== undefined) return Either.flatMap(decodeSpec(spec, syntax), (one) => requireBoundedObject("spec", one))
  if (file !== undefined) return Either.flatMap(decodeFile(file, syntax), (one) => requireBoundedObject("file", one))
  return Either.left({
    spec: ["This field is required if file is not provided."],
    file: ["This field is required if spec is not provided."]
  })
}

/** The channel, and the data of its platform, which other channels do not take. */
const channelOf = (read: InputReader): Pick<PlanRequest, "channel" | "providerData"> => {
  const given = read.optional("channel", fields.channel)
  const channel = given ?? "voice"
  const isInvalid = given === undefined && read.has("channel")
  const providerDataFor = (only: Channel, field: string) => {
    const data = read.optional(field, fields.data)
    if (data && channel !== only && !isInvalid) read.addErrors(fieldError(field, `Only with the channel ${only}.`))
    return data
  }
  const ofProviderE = providerDataFor("provider_e_v2", "provider_e_data")
  const ofProviderD = providerDataFor("provider_d_v2", "provider_d_data")
  return { channel, providerData: ofProviderE ?? ofProviderD ?? null }
}

/** The agent of the request, or else of the spec; an error where neither names one. */
const agentOf = (read: InputReader, suite: ParsedSuite | undefined): AgentId | undefined => {
  const agentId = read.optional("agent_id", fields.agent) ?? suite?.spec.agentId
  const isInvalid = read.has("agent_id") || (suite !== undefined && "agent_id" in suite.errors)
  if (agentId === undefined && suite !== undefined && !isInvalid) {
    read.addErrors(fieldError("agent_id", Messages.required))
  }
  return agentId
}

/**
 * Parses a request, with every error that shows without looking anything up. Total on any input.
 *
 * @param syntax the reader of `syntaxOfRequest`.
 */
export const parseSuiteRequest = (input: unknown, syntax: SuiteSyntax = jsonSyntax): SuiteRequest => {
  const read = inputReader(input)
  const document = documentOf(input, syntax)
  const suite = Either.isRight(document) ? parseSuite(document.right.document) : undefined
  const agentId = agentOf(read, suite)
  const name = read.optional("name", fields.name) ?? ""
  const channel = channelOf(read)
  return {
    ...channel,
    agentId,
    name: name.trim() === "" ? null : name,
    only: {
      keys: read.optional("scenario_keys", fields.keys) ?? [],
      tags: read.optional("scenario_tags", fields.tags) ?? []
    },
    suite,
    errors: mergeFieldErrors(read.errors(), Either.isLeft(document) ? document.left : document.right.errors)
  }
}
