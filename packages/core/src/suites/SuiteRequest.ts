/** Reads what a validation, or a run, is asked for: the spec, however it came, and what is said beside it. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Channel } from "../catalog/Agent.js"
import { Upload } from "../calls/Upload.js"
import { type Faults, fault, isFaulty, mergeFaults, NON_FIELD, noFaults, Messages } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, PhoneNumberId } from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import { Json, jsonFault, type JsonFaults, jsonFaults, JsonObject } from "../kernel/Json.js"
import type { PlanRequest } from "./PlanSuite.js"
import { readSuite, type SuiteRead } from "./ReadSuite.js"
import { SuiteLimits } from "./Suite.js"
import { readSuiteBytes, readSuiteText, type SuiteText } from "./SuiteFile.js"

const SuiteUpload = Schema.declare(
  (value): value is Upload | string => value instanceof Upload || typeof value === "string",
  {
    message: () => ({
      message: "The submitted data was not a file. Check the encoding type on the form.",
      override: true
    }),
    jsonSchema: { type: "string", format: "binary", description: "A .json file of at most 1 MB." }
  }
)

const fields = {
  agent: Fields.nullable(Fields.id(AgentId)),
  name: Fields.nullable(Fields.text({ max: SuiteLimits.suiteName })),
  channel: Fields.choiceOrNone(Channel.literals),
  data: Fields.nullable(JsonObject)
}

/** The body of E1, for the descriptions of doors; `readSuiteRequest` is what reads it. */
export const SuiteRequestInput = Fields.object({
  spec: Fields.optional(Json),
  file: Fields.optional(SuiteUpload),
  agent_id: Fields.optional(fields.agent),
  name: Fields.optional(fields.name),
  channel: Fields.optional(fields.channel),
  provider_e_data: Fields.optional(fields.data),
  provider_d_data: Fields.optional(fields.data)
})

/** The body of a run: as that of E1, and the id of the number that voice runs call from. */
export const SuiteRunInput = Fields.object({
  ...SuiteRequestInput.fields,
  phone_number: Fields.optional(Fields.nullable(Fields.id(PhoneNumberId)))
})

/** A request as far as it could be read. */
export interface SuiteRequest extends PlanRequest {
  /** The agent to test: the request's, or else the spec's. */
  readonly agentId: AgentId | undefined
  /** Undefined where there is no document to judge. */
  readonly suite: SuiteRead | undefined
  readonly faults: Faults
}

/** The document, or what is wrong with the whole of it under the name that it was given by. */
type Given = Either.Either<SuiteText, Faults>

/** What is wrong with the document as a whole, told of the field that it came in. */
const named = (field: string, { [NON_FIELD]: whole, ...faults }: Faults): Faults =>
  whole === undefined ? faults : mergeFaults(fault(field, ...whole), faults)

const fromText = (field: string, read: Given): Given => Either.mapLeft(read, (faults) => named(field, faults))

const readFile = (file: unknown): Given => {
  if (file instanceof Upload) {
    return file.filename !== "" && !/\.json$/i.test(file.filename)
      ? Either.left(fault("file", "A spec is a .json file."))
      : fromText("file", readSuiteBytes(file.bytes))
  }
  if (typeof file !== "string") {
    return Either.left(fault("file", "The submitted data was not a file. Check the encoding type on the form."))
  }
  const encoded = /^data:[^,]*?(;base64)?,/i.exec(file)
  if (encoded !== null) {
    const rest = file.slice(encoded[0].length)
    return encoded[1] === undefined
      ? Either.flatMap(
          Either.try({
            try: () => decodeURIComponent(rest),
            catch: () => fault("file", "This is no well-formed data URI.")
          }),
          (text) => fromText("file", readSuiteText(text))
        )
      : fromText("file", readSuiteBytes(Buffer.from(rest, "base64")))
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(file)
    ? Either.left(fault("file", "Send the file itself; it is not fetched from an address."))
    : fromText("file", readSuiteText(file))
}

const fine: JsonFaults = { isBounded: true, faults: noFaults }

/** A JSON object of bounded depth and size, which every rule may then walk, and what no database could keep of it. */
const bounded = (field: string, { document, faults }: SuiteText): Given => {
  const said = jsonFault(document) === undefined ? fine : jsonFaults(document)
  if (!said.isBounded) return Either.left(named(field, said.faults))
  return typeof document !== "object" || document === null || Array.isArray(document)
    ? Either.left(fault(field, `A spec is a JSON object${Array.isArray(document) ? ", not a list" : ""}.`))
    : Either.right({ document, faults: mergeFaults(faults, named(field, said.faults)) })
}

const readSpec = (spec: unknown): Given => {
  if (typeof spec === "string") return fromText("spec", readSuiteText(spec))
  // Measured as it would be written: what was posted may have had blanks.
  return jsonFault(spec) === undefined && Buffer.byteLength(JSON.stringify(spec)) > SuiteLimits.bytes
    ? Either.left(fault("spec", `Ensure this document has no more than ${SuiteLimits.bytes} bytes.`))
    : Either.right({ document: spec, faults: noFaults })
}

const given = (input: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(input, name) ? (input[name] ?? undefined) : undefined

/** Reads a request, with every fault that shows without looking anything up; those of the spec are in `suite`. */
export const readSuiteRequest = (input: unknown): SuiteRequest => {
  const read = inputReader(input)
  const body = typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : {}
  const spec = given(body, "spec")
  const file = given(body, "file")
  const isNothing = isFaulty(read.faults())
  const document: Given =
    spec !== undefined && file !== undefined
      ? Either.left(fault("file", "Give spec or file, not both."))
      : spec !== undefined
        ? Either.flatMap(readSpec(spec), (one) => bounded("spec", one))
        : file !== undefined
          ? Either.flatMap(readFile(file), (one) => bounded("file", one))
          : Either.left(
              isNothing
                ? noFaults
                : mergeFaults(
                    fault("spec", "This field is required if file is not provided."),
                    fault("file", "This field is required if spec is not provided.")
                  )
            )
  const suite = Either.isRight(document) ? readSuite(document.right.document) : undefined
  const agent = read.optional("agent_id", fields.agent)
  const name = read.optional("name", fields.name)
  const channel = read.optional("channel", fields.channel)
  const providerE = read.optional("provider_e_data", fields.data)
  const providerD = read.optional("provider_d_data", fields.data)
  const chosen = channel ?? "voice"
  // Of a channel that could not be read, nothing more is said.
  const isChosen = channel !== undefined || !read.has("channel")
  if (isChosen && providerE && chosen !== "provider_e_v2") {
    read.tell(fault("provider_e_data", "Only with the channel provider_e_v2."))
  }
  if (isChosen && providerD && chosen !== "provider_d_v2") {
    read.tell(fault("provider_d_data", "Only with the channel provider_d_v2."))
  }
  const agentId = agent ?? suite?.reading.agentId
  const saysAgent = read.has("agent_id") || (suite !== undefined && "agent_id" in suite.faults)
  if (agentId === undefined && !saysAgent && suite !== undefined) read.tell(fault("agent_id", Messages.required))
  return {
    agentId,
    name: name === undefined || name === null || name.trim() === "" ? null : name,
    channel: chosen,
    providerData: providerE ?? providerD ?? null,
    suite,
    faults: mergeFaults(read.faults(), Either.isLeft(document) ? document.left : document.right.faults)
  }
}
