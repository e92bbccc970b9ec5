/** Which error responses the document lists for an endpoint. */
import type { Endpoint } from "../Endpoint.js"
import type { ErrorName } from "./Errors.js"

/** The error responses of an endpoint, without those that precede routing, such as 405. */
export const errorStatuses = (endpoint: Endpoint): ReadonlyArray<readonly [string, ErrorName]> => {
  const { body, id, method, path, query, errorStatuses: refusals = [] } = endpoint
  const isOpen = endpoint.operation === null && endpoint.signsIn !== true
  const hasPathParameters = path.includes(":")
  const rows: ReadonlyArray<readonly [isListed: boolean, status: string, name: ErrorName]> = [
    // A path parameter may be invalid UTF-8, such as `%ff`.
    [body !== undefined || query !== undefined || hasPathParameters, "400", "Invalid"],
    [!isOpen, "401", "Unauthenticated"],
    [!isOpen, "403", "Forbidden"],
    [isOpen && refusals.includes(403), "403", "UrlInvalid"],
    [hasPathParameters || refusals.includes(404), "404", "NotFound"],
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
