/** Parses the assertions of a scenario, with every error. */
import * as Either from "effect/Either"
import { compile } from "../filters/Regex.js"
import { isPlainObject, type JsonObject } from "../kernel/Json.js"
import { Messages } from "../kernel/FieldErrors.js"
import type { ObjectFields, Parser } from "../kernel/Parsers.js"
import { type Assertion, AssertedSpeaker, assertionTypes } from "../results/Assertion.js"
import { Speaker } from "../transcripts/Transcript.js"
import type { SpecParsers } from "./SpecParsers.js"
import { SuiteLimits } from "./Suite.js"

/** The keys of each type beside `type`. */
const KEYS: { readonly [T in Assertion["type"]]: ReadonlyArray<string> } = {
  contains: ["text", "speaker", "case_sensitive"],
  not_contains: ["text", "speaker", "case_sensitive"],
  regex: ["pattern", "speaker"],
  tool_called: ["tool", "arguments"],
  tool_order: ["tools"],
  max_latency: ["milliseconds"],
  turns: ["min", "max"],
  ended_by: ["speaker"]
}

export const parseAssertions =
  (parse: SpecParsers): Parser<ReadonlyArray<Assertion>> =>
  (value, path) =>
    parse.items(value, path, SuiteLimits.assertions).flatMap(([item, at]) => parseAssertion(parse)(item, at) ?? [])

const parseAssertion =
  (parse: SpecParsers): Parser<Assertion> =>
  (value, path) => {
    if (!isPlainObject(value)) return parse.fail(path, value === null ? Messages.notNull : Messages.notAnObject)
    if (value.type === undefined) return parse.fail(`${path}.type`, Messages.required)
    const type = parse.choice(assertionTypes)(value.type, `${path}.type`)
    if (type === undefined) return undefined
    const fields = parse.object(["type", ...KEYS[type]])(value, path)
    return fields === undefined ? undefined : fieldsParsers[type](parse, fields)
  }

type FieldsParser = (parse: SpecParsers, fields: ObjectFields) => Assertion | undefined

const parseContains =
  (type: "contains" | "not_contains"): FieldsParser =>
  (parse, fields) => {
    const text = fields.required("text", parse.text(SuiteLimits.assertionText))
    const speaker = speakerOf(parse, fields)
    const isCaseSensitive = fields.has("case_sensitive")
      ? fields.optional("case_sensitive", parseBoolean(parse))
      : false
    return text === undefined || speaker === undefined || isCaseSensitive === undefined
      ? undefined
      : { type, text, speaker, case_sensitive: isCaseSensitive }
  }

const fieldsParsers: { readonly [T in Assertion["type"]]: FieldsParser } = {
  contains: parseContains("contains"),
  not_contains: parseContains("not_contains"),
  regex: (parse, fields) => {
    const pattern = fields.required("pattern", parsePattern(parse))
    const speaker = speakerOf(parse, fields)
    return pattern === undefined || speaker === undefined ? undefined : { type: "regex", pattern, speaker }
  },
  tool_called: (parse, fields) => {
    const tool = fields.required("tool", parse.text(SuiteLimits.name))
    const given = fields.optional("arguments", parseArguments(parse))
    return tool === undefined || (fields.has("arguments") && given === undefined)
      ? undefined
      : { type: "tool_called", tool, arguments: given ?? null }
  },
  tool_order: (parse, fields) => {
    const tools = fields.required("tools", parseTools(parse))
    return tools === undefined ? undefined : { type: "tool_order", tools }
  },
  max_latency: (parse, fields) => {
    const milliseconds = fields.required("milliseconds", parse.integer(SuiteLimits.latency))
    return milliseconds === undefined ? undefined : { type: "max_latency", milliseconds }
  },
  turns: (parse, fields) => parseTurns(parse, fields),
  ended_by: (parse, fields) => {
    const speaker = fields.required("speaker", parse.choice(Speaker.literals))
    return speaker === undefined ? undefined : { type: "ended_by", speaker }
  }
}

const speakerOf = (parse: SpecParsers, fields: ObjectFields): AssertedSpeaker | undefined =>
  fields.has("speaker") ? fields.optional("speaker", parse.choice(AssertedSpeaker.literals)) : "main_agent"

const parseBoolean =
  (parse: SpecParsers): Parser<boolean> =>
  (value, path) =>
    typeof value === "boolean" ? value : parse.fail(path, value === null ? Messages.notNull : Messages.notABoolean)

const parsePattern =
  (parse: SpecParsers): Parser<string> =>
  (value, path) => {
    const pattern = parse.text(SuiteLimits.assertionText)(value, path)
    if (pattern === undefined) return undefined
    return Either.match(compile(pattern), { onLeft: (error) => parse.fail(path, error), onRight: () => pattern })
  }

const parseArguments =
  (parse: SpecParsers): Parser<JsonObject> =>
  (value, path) =>
    // The values are checked with the document as a whole, which has to be storable.
    isJsonObject(value) ? value : parse.fail(path, value === null ? Messages.notNull : Messages.notAnObject)

const isJsonObject = (value: unknown): value is JsonObject => isPlainObject(value)

const parseTools =
  (parse: SpecParsers): Parser<ReadonlyArray<string>> =>
  (value, path) => {
    if (Array.isArray(value) && value.length < 2) return parse.fail(path, Messages.tooFew(2))
    const names = parse
      .items(value, path, SuiteLimits.tools)
      .map(([item, at]) => parse.text(SuiteLimits.name)(item, at))
    return Array.isArray(value) && names.every((name) => name !== undefined) ? names : undefined
  }

const parseTurns = (parse: SpecParsers, fields: ObjectFields): Assertion | undefined => {
  const min = fields.optional("min", parse.integer(SuiteLimits.turns))
  const max = fields.optional("max", parse.integer(SuiteLimits.turns))
  if (!fields.has("min") && !fields.has("max")) return parse.fail(fields.path("max"), "Give min, max or both.")
  if ((fields.has("min") && min === undefined) || (fields.has("max") && max === undefined)) return undefined
  if (min !== undefined && max !== undefined && min > max) {
    return parse.fail(fields.path("max"), "Ensure this value is not less than min.")
  }
  return { type: "turns", min: min ?? null, max: max ?? null }
}
