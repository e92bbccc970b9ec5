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
import { decodeSuiteBytes, decodeSuiteText, type SuiteText } from "./SuiteFile.js"

const NOT_A_FILE = "The submitted data was not a file. Check the encoding type on the form."

const SuiteUpload = Schema.declare(
  (value): value is Upload | string => value instanceof Upload || typeof value === "string",
  {
    message: () => ({ message: NOT_A_FILE, override: true }),
    jsonSchema: { type: "string", format: "binary", description: "A .json file of at most 1 MB." }
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

const decodeDataUri = (base64: boolean, data: string): Decoded =>
  base64
    ? decodedFrom("file", decodeSuiteBytes(Buffer.from(data, "base64")))
    : Either.flatMap(
        Either.try({
          try: () => decodeURIComponent(data),
          catch: () => fieldError("file", "The data URI is malformed.")
        }),
        (text) => decodedFrom("file", decodeSuiteText(text))
      )

const decodeFile = (file: unknown): Decoded => {
  if (file instanceof Upload) {
    return file.filename !== "" && !/\.json$/i.test(file.filename)
      ? Either.left(fieldError("file", "A spec is a .json file."))
      : decodedFrom("file", decodeSuiteBytes(file.bytes))
  }
  if (typeof file !== "string") return Either.left(fieldError("file", NOT_A_FILE))
  const dataUri = /^data:[^,]*?(;base64)?,/i.exec(file)
  if (dataUri !== null) return decodeDataUri(dataUri[1] !== undefined, file.slice(dataUri[0].length))
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(file)
    ? Either.left(fieldError("file", "Send the file itself; URLs are not fetched."))
    : decodedFrom("file", decodeSuiteText(file))
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

const decodeSpec = (spec: unknown): Decoded => {
  if (typeof spec === "string") return decodedFrom("spec", decodeSuiteText(spec))
  // Measured as it would be printed: what was posted may have had whitespace.
  return jsonError(spec) === undefined && Buffer.byteLength(JSON.stringify(spec)) > SuiteLimits.bytes
    ? Either.left(fieldError("spec", `Ensure this document has no more than ${SuiteLimits.bytes} bytes.`))
    : Either.right({ document: spec, errors: noFieldErrors })
}

const valueOf = (body: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined

/** The document in `spec` or `file`, of which exactly one is to be given. */
const documentOf = (input: unknown): Decoded => {
  if (!isPlainObject(input)) return Either.left(noFieldErrors)
  const spec = valueOf(input, "spec")
  const file = valueOf(input, "file")
  if (spec !== undefined && file !== undefined) return Either.left(fieldError("file", "Give spec or file, not both."))
  if (spec !== undefined) return Either.flatMap(decodeSpec(spec), (one) => requireBoundedObject("spec", one))
  if (file !== undefined) return Either.flatMap(decodeFile(file), (one) => requireBoundedObject("file", one))
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

/** Parses a request, with every error that shows without looking anything up. Total on any input. */
export const parseSuiteRequest = (input: unknown): SuiteRequest => {
  const read = inputReader(input)
  const document = documentOf(input)
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
