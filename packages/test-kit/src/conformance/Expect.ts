/** Assertions on responses. Each throws a `Mismatch` with the request, the response and the expectation. */
import { at, isObject } from "../Documents.js"
import type { Reply } from "./Client.js"

type Node = Readonly<Record<string, unknown>>

/** A response that breaks a rule of the interface. */
export class Mismatch extends Error {
  override readonly name = "Mismatch"
}

/** A check that the server or the options do not allow. */
export class Skipped extends Error {
  override readonly name = "Skipped"
}

const MAX_SHOWN = 300

export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
}

const answered = ({ method, path, status, text }: Reply): string =>
  `${method} ${shown(path)} answered ${status} ${shown(text)}`

const mismatch = (reply: Reply, expected: string): never => {
  throw new Mismatch(`${answered(reply)}; expected ${expected}`)
}

/** One of these status codes. */
export const expectStatus = (reply: Reply, ...statuses: ReadonlyArray<number>): void => {
  if (!statuses.includes(reply.status)) mismatch(reply, statuses.join(" or "))
}

/** One of these status codes, and the body. */
export const bodyOf = (reply: Reply, ...statuses: ReadonlyArray<number>): Node => {
  expectStatus(reply, ...statuses)
  return isObject(reply.json) ? reply.json : mismatch(reply, "a JSON object")
}

/** One of these status codes and no body. */
export const expectNoBody = (reply: Reply, ...statuses: ReadonlyArray<number>): void => {
  expectStatus(reply, ...statuses)
  if (reply.text !== "") mismatch(reply, "no body")
}

/** A status code, and a body with a message under `detail`. */
export const expectDetail = (reply: Reply, ...statuses: ReadonlyArray<number>): void => {
  expectStatus(reply, ...statuses)
  const detail = at(reply.json, "detail")
  if (typeof detail !== "string" || detail === "") mismatch(reply, 'a body {"detail": "..."}')
}

/** 400 with field errors: every key a path, every value a list of messages. Returns the paths. */
export const errorPathsOf = (reply: Reply): ReadonlyArray<string> => {
  expectStatus(reply, 400)
  const { json } = reply
  if (!isObject(json) || Object.keys(json).length === 0) return mismatch(reply, "an object of field errors")
  for (const [path, messages] of Object.entries(json)) {
    if (!Array.isArray(messages) || messages.length === 0) mismatch(reply, `a list of messages under "${path}"`)
    else if (!messages.every((one: unknown) => typeof one === "string" && one !== ""))
      mismatch(reply, `messages that are texts under "${path}"`)
  }
  return Object.keys(json)
}

/** 400 with field errors under each of these paths. */
export const expectFieldErrors = (reply: Reply, ...paths: ReadonlyArray<string>): void => {
  const found = errorPathsOf(reply)
  const missing = paths.filter((path) => !found.includes(path))
  if (missing.length > 0) mismatch(reply, `400 with field errors under ${paths.join(", ")}`)
}

/** 400 with field errors under these paths and no others. */
export const expectOnlyFieldErrors = (reply: Reply, ...paths: ReadonlyArray<string>): void => {
  expectFieldErrors(reply, ...paths)
  if (errorPathsOf(reply).length !== paths.length)
    mismatch(reply, `400 with field errors under ${paths.join(", ")} alone`)
}

/** 400 with a field error under a field, or below it. */
export const expectFieldErrorWithin = (reply: Reply, field: string): void => {
  const isWithin = (path: string) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  if (!errorPathsOf(reply).some(isWithin)) mismatch(reply, `400 with a field error under ${field}`)
}

/** With sorted keys. */
const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : isObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, canonical(value[key])])
        )
      : value

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(canonical(one)) === JSON.stringify(canonical(other))

/** Two values that are equal as JSON. */
export const expectEqual = (what: string, got: unknown, expected: unknown): void => {
  if (!isEqual(got, expected)) throw new Mismatch(`${what} is ${shown(got)}; expected ${shown(expected)}`)
}

export const expectTrue = (what: string, holds: boolean): void => {
  if (!holds) throw new Mismatch(what)
}

/** A number that is equal up to floating-point rounding. */
export const expectNear = (what: string, got: unknown, expected: number): void => {
  if (typeof got !== "number" || Math.abs(got - expected) > 1e-9 * Math.max(1, Math.abs(expected)))
    throw new Mismatch(`${what} is ${shown(got)}; expected ${expected}`)
}

/** The kind of value of a field. */
export type Kind = readonly [description: string, holds: (value: unknown) => boolean]

export const text: Kind = ["a text", (value) => typeof value === "string"]
export const bool: Kind = ["a boolean", (value) => typeof value === "boolean"]
export const int: Kind = ["an integer", Number.isSafeInteger]
export const list: Kind = ["a list", Array.isArray]
export const object: Kind = ["an object", isObject]
export const any: Kind = ["any value", (value) => value !== undefined]
export const instant: Kind = [
  "an ISO 8601 date-time in UTC",
  (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(value)
]
export const orNull = ([description, holds]: Kind): Kind => [
  `${description} or null`,
  (value) => value === null || holds(value)
]
export const oneOf = (...words: ReadonlyArray<string>): Kind => [
  `one of ${words.join(", ")}`,
  (value) => typeof value === "string" && words.includes(value)
]
export const matching = (pattern: RegExp, says: string): Kind => [
  says,
  (value) => typeof value === "string" && pattern.test(value)
]
export const shortText = (max: number): Kind => [
  `a text of at most ${max} characters`,
  (value) => typeof value === "string" && [...value].length <= max
]

/** A resource with all of its fields. */
export const expectShape = (what: string, value: unknown, fields: Readonly<Record<string, Kind>>): void => {
  if (!isObject(value)) throw new Mismatch(`${what} is ${shown(value)}; expected an object`)
  for (const [name, [description, holds]] of Object.entries(fields)) {
    const found = at(value, name)
    if (!holds(found)) throw new Mismatch(`${what}.${name} is ${shown(found)}; expected ${description}`)
  }
}
