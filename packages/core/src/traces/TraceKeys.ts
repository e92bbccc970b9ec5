/** What identifies the call of a span. Pure. */
import { hash } from "node:crypto"
import { lengthOf } from "../kernel/Text.js"

/** The kinds of identifiers that spans of one call have in common. */
const KINDS = ["trace", "job", "room", "room name", "conversation"] as const
export type TraceKeyKind = (typeof KINDS)[number]

/** An identifier of a call, as spans are grouped by it. */
export const traceKey = (kind: TraceKeyKind, value: string): string => `${kind}:${value}`

/** The form in which a key is stored: the name of a room may be a telephone number. */
export const hashKey = (key: string): string => hash("sha256", key, "base64url")

/** The longest id of a call; a longer one is cut. */
const MAX_CALL_ID = 100

/** The id of a call as it is stored. */
export const callIdOf = (value: string): string =>
  lengthOf(value) > MAX_CALL_ID ? [...value].slice(0, MAX_CALL_ID).join("") : value

/** The id that a call has if this key is the one that names it. */
export const callIdIn = (key: string): string => callIdOf(key.slice(key.indexOf(":") + 1))

/** The stored keys of which the spans of a call with this id have one; a cut id is only found by the stored call. */
export const keysOfCall = (callId: string): ReadonlyArray<string> =>
  KINDS.map((kind) => hashKey(traceKey(kind, callId)))
