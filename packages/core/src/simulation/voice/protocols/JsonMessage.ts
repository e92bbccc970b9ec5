/** Messages of protocols that are JSON with a type. Pure. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { MAX_MESSAGE, type WireMessage } from "../VoiceProtocol.js"

export const Base64 = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9+/]*={0,2}$/))

const isTyped = Schema.is(Schema.Struct({ type: Schema.String }))

/** Parses a message; left is a sentence that says what is wrong with it. */
export const readTyped = (message: WireMessage): Either.Either<{ readonly type: string }, string> => {
  if (message.length > MAX_MESSAGE) return Either.left(`A message is longer than ${MAX_MESSAGE} characters.`)
  if (typeof message !== "string") return Either.left("A message is binary, not JSON.")
  let parsed: unknown
  try {
    parsed = JSON.parse(message)
  } catch {
    return Either.left("A message is not JSON.")
  }
  return isTyped(parsed) ? Either.right(parsed) : Either.left("A message has no type.")
}

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")
