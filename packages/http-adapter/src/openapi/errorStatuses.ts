/** Which error responses the document lists for an endpoint. */
import type { DocumentedEndpoint } from "../Endpoint.js"
import type { ErrorName } from "./Errors.js"

/** The error responses of an endpoint, without those that precede routing, such as 405. */
export const errorStatuses = (endpoint: DocumentedEndpoint): ReadonlyArray<readonly [string, ErrorName]> => {
  const { id, method, path, query, errorStatuses: refusals = [] } = endpoint
  const isRaw = endpoint.operation === "raw"
  const body = isRaw ? endpoint.described.body : endpoint.body
  const isOpen = endpoint.operation === null && endpoint.signsIn !== true
  const hasPathParameters = path.includes(":")
  const rows: ReadonlyArray<readonly [isListed: boolean, status: string, name: ErrorName]> = [
    // A path parameter may be invalid UTF-8, such as `%ff`.
    [body !== undefined || query !== undefined || hasPathParameters, "400", "Invalid"],
    [!isOpen, "401", "Unauthenticated"],
    [!isOpen && !isRaw, "403", "Forbidden"],
    [isOpen && refusals.includes(403), "403", "UrlInvalid"],
    // A raw endpoint refuses an unknown address as it does a wrong signature.
    [(hasPathParameters && !isRaw) || refusals.includes(404), "404", "NotFound"],
    [refusals.includes(409), "409", "Conflict"],
    [body !== undefined, "413", "TooLarge"],
    [body !== undefined, "415", "UnsupportedMediaType"],
    [refusals.includes(416), "416", "RangeNotSatisfiable"],
    [true, "417", "ExpectationFailed"],
    [!isOpen && ((method === "GET" && query !== undefined) || refusals.includes(422)), "422", "QueryTimedOut"],
    [!isOpen, "429", "RateLimited"],
    [true, "431", "HeadersTooLarge"],
    [!isOpen, "500", "ServerError"],
    [!isOpen && refusals.includes(502), "502", "CodeHostFailed"],
    [!isOpen, "503", "Busy"],
    [id === "service.ready", "503", "NotReady"],
    [!isOpen && method !== "GET", "507", "StorageFull"]
  ]
  return rows.flatMap(([isListed, status, name]) => (isListed ? [[status, name] as const] : []))
}
