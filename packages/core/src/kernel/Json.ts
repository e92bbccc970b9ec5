import * as Schema from "effect/Schema"
import { fieldErrorCollector } from "./FieldErrorCollector.js"
import { type FieldErrors, fieldError, NON_FIELD, type PathSegment, formatPath } from "./FieldErrors.js"
import { textError } from "./Text.js"

/** Any JSON document. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

export interface JsonObject {
  readonly [key: string]: Json
}

/** The deepest nesting of a free-form JSON value, which bounds the stack that recursion over it needs. */
export const MAX_JSON_DEPTH = 64

/** The most values (leaves and containers) in one free-form JSON value. */
export const MAX_JSON_NODES = 100_000

const NOT_JSON = "Value must be valid JSON."

/**
 * Why a value cannot be stored as JSON in both databases, or undefined if it can: numbers that are not finite or are
 * integers beyond 2^53 - 1 (they would come back changed), NUL and lone surrogates in texts and keys, a `__proto__` key,
 * too deep, too many. Uses a stack of its own instead of recursion.
 */
export const jsonError = (root: unknown): string | undefined => {
  const stack: Array<{ readonly value: unknown; readonly depth: number }> = [{ value: root, depth: 0 }]
  let nodes = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { depth, value } = next
    if (++nodes > MAX_JSON_NODES) return `Ensure this value has no more than ${MAX_JSON_NODES} parts.`
    if (depth > MAX_JSON_DEPTH) return `Ensure this value is nested no deeper than ${MAX_JSON_DEPTH} levels.`
    switch (typeof value) {
      case "string": {
        const error = textError(value)
        if (error !== undefined) return error
        break
      }
      case "number":
        if (Number.isNaN(value)) return NOT_JSON
        if (!Number.isFinite(value)) return "Ensure numbers are within ±1.8e308."
        if (Number.isInteger(value) && !Number.isSafeInteger(value)) return "Ensure integers are within 2^53 - 1."
        break
      case "boolean":
        break
      case "object": {
        if (value === null) break
        if (Array.isArray(value)) {
          for (const item of value) stack.push({ value: item, depth: depth + 1 })
          break
        }
        for (const key of Object.keys(value)) {
          if (key === "__proto__") return `The key "__proto__" is not allowed.`
          const error = textError(key)
          if (error !== undefined) return error
          stack.push({ value: Reflect.get(value, key), depth: depth + 1 })
        }
        break
      }
      default:
        return NOT_JSON
    }
  }
  return undefined
}

/** The errors of a document by path; `isBounded` is false for one that is too deep or too large to visit. */
export interface JsonErrors {
  readonly isBounded: boolean
  readonly errors: FieldErrors
}

/** The most errors reported for one document. */
const MAX_REPORTED = 100

/** The errors of each part of a document. Slower than `jsonError`: for documents in which that found an error. */
export const jsonErrors = (root: unknown): JsonErrors => {
  const found = fieldErrorCollector()
  let reported = 0
  let nodes = 0
  const add = (path: ReadonlyArray<PathSegment>, error: string | undefined) => {
    if (error !== undefined && reported++ < MAX_REPORTED) found.add(formatPath(path), error)
  }
  const isBounded = (value: unknown, path: ReadonlyArray<PathSegment>): boolean => {
    if (++nodes > MAX_JSON_NODES || path.length > MAX_JSON_DEPTH) return false
    if (Array.isArray(value)) return value.every((item: unknown, index) => isBounded(item, [...path, index]))
    if (!isPlainObject(value)) {
      add(path, jsonError(value))
      return true
    }
    return Object.keys(value).every((key) => {
      const error = key === "__proto__" ? `The key "__proto__" is not allowed.` : textError(key)
      // Reported for the object: such a key cannot be part of a path either.
      add(path, error)
      return error !== undefined || isBounded(value[key], [...path, key])
    })
  }
  return isBounded(root, [])
    ? { isBounded: true, errors: found.errors() }
    : { isBounded: false, errors: fieldError(NON_FIELD, jsonError(root) ?? NOT_JSON) }
}

/** Whether a parsed value is nested too deep for recursion over it, `JSON.stringify` included. */
export const isTooDeep = (root: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true
    level = level.flatMap((value): ReadonlyArray<unknown> =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    )
  }
  return false
}

/** A free-form JSON value that both databases store unchanged. Source: interface, fields of type `any`. */
export const Json: Schema.Schema<Json> = Schema.declare((value): value is Json => jsonError(value) === undefined, {
  identifier: "Json",
  message: (issue) => ({ message: jsonError(issue.actual) ?? NOT_JSON, override: true }),
  // A JSON Schema with neither a type nor an anyOf counts as none.
  jsonSchema: { anyOf: [{ description: "Any JSON value." }] }
})

/** The JSON Schema of an object with any fields. Without `additionalProperties` generated clients allow none. */
export const ANY_OBJECT = { type: "object", additionalProperties: {} } as const

/** A free-form JSON object. */
export const JsonObject: Schema.Schema<JsonObject> = Schema.declare(
  (value): value is JsonObject => isPlainObject(value) && jsonError(value) === undefined,
  {
    identifier: "JsonObject",
    message: (issue) => ({
      message: isPlainObject(issue.actual) ? (jsonError(issue.actual) ?? "Expected an object.") : "Expected an object.",
      override: true
    }),
    jsonSchema: ANY_OBJECT
  }
)

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
