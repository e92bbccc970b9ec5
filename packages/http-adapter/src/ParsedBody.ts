/** Bodies that a parser in front of the listener has read, such as Express with `express.json()`. */
import type { IncomingMessage } from "node:http"
import { isPlainObject } from "@earshot/core"
import * as Either from "effect/Either"
import { type HttpResponseError, messageErrors } from "./ErrorResponses.js"

/** Whether the stream of a body has been read by somebody else. */
export const isAlreadyRead = (message: IncomingMessage): boolean => message.readableEnded

const formOf = (body: Readonly<Record<string, unknown>>): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      form.append(name, typeof one === "string" ? one : JSON.stringify(one))
    }
  }
  return form.toString()
}

/**
 * The bytes of a body that was already read: those that the parser left in `request.body`, or its object as JSON or as a
 * form. A signed body is `exact`: it has to be the bytes that were sent.
 */
export const alreadyReadBytes = (
  message: IncomingMessage,
  kind: "json" | "form" | "exact"
): Either.Either<Buffer, HttpResponseError> => {
  const body: unknown = "body" in message ? message.body : undefined
  if (body instanceof Uint8Array) return Either.right(Buffer.from(body))
  if (typeof body === "string") return Either.right(Buffer.from(body))
  if (kind === "exact" || body === undefined) return Either.left(messageErrors.alreadyRead)
  if (kind === "form")
    return isPlainObject(body) ? Either.right(Buffer.from(formOf(body))) : Either.left(messageErrors.alreadyRead)
  return Either.right(Buffer.from(JSON.stringify(body)))
}
