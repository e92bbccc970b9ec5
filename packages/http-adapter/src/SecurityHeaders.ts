/** Headers of every response that tell browsers what they may do with it, and which origins may read it. */
import type { CredentialKind } from "@earshot/core"

export type HeaderFields = Readonly<Record<string, string>>

/** The credentials that pages of other origins may send: those that are made to be embedded in them. */
const CROSS_ORIGIN_CREDENTIALS: ReadonlyArray<string> = ["embedded_session", "shareable_link"]

/** Request headers that pages of other origins may set, which leaves out the API key. */
const CROSS_ORIGIN_REQUEST_HEADERS = "authorization, content-type, x-shareable-link"
const EXPOSED_HEADERS = "retry-after, x-request-id"

/** How long browsers cache a preflight, in seconds. */
const PREFLIGHT_SECONDS = "600"

/** One year, as browsers' preload lists want it. */
const HSTS = { "strict-transport-security": "max-age=31536000" }

/** Whether a text is an origin as browsers send it: `https://app.example.com`. */
export const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

export interface OriginPolicy {
  /**
   * Headers of every response. A response that sets one of them keeps its own value; a Content-Security-Policy that says
   * nothing of frames forbids them.
   */
  readonly headers: (isSecure: boolean, own: HeaderFields) => HeaderFields
  /**
   * Headers by which a page of an allowed origin may read a response.
   *
   * @param accepts the credentials that the endpoint accepts
   * @param presented the credential of the caller, if it was authenticated
   */
  readonly crossOrigin: (
    origin: string | undefined,
    accepts: ReadonlyArray<string>,
    presented: CredentialKind | undefined
  ) => HeaderFields
  /** The additional headers of a preflight response. */
  readonly preflight: (
    origin: string | undefined,
    accepts: ReadonlyArray<string>,
    method: string | undefined
  ) => HeaderFields
}

const NO_FRAMES = "frame-ancestors 'none'"

/** The part of a Content-Security-Policy for a page that pages of the allowed origins may have in a frame. */
export const framedBy = (allowed: ReadonlyArray<string>): string =>
  allowed.length === 0 ? NO_FRAMES : `frame-ancestors ${allowed.join(" ")}`

/** @param allowed origins whose pages may call the server; none by default */
export const makeOriginPolicy = (allowed: ReadonlyArray<string>): OriginPolicy => {
  const invalid = allowed.find((origin) => !isOrigin(origin))
  if (invalid !== undefined) throw new TypeError(`Invalid origin: ${invalid}`)
  const origins = new Set(allowed)
  const base = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; ${NO_FRAMES}`,
    ...(allowed.length === 0 ? {} : { vary: "Origin" })
  }
  const secure = { ...base, ...HSTS }
  const mayRead = (origin: string | undefined, accepts: ReadonlyArray<string>): origin is string =>
    origin !== undefined && origins.has(origin) && accepts.some((kind) => CROSS_ORIGIN_CREDENTIALS.includes(kind))

  return {
    headers: (isSecure, own) => {
      const policy = own["content-security-policy"]
      return {
        ...(isSecure ? secure : base),
        ...own,
        ...(policy === undefined || policy.includes("frame-ancestors")
          ? {}
          : { "content-security-policy": `${policy}; ${NO_FRAMES}` })
      }
    },
    crossOrigin: (origin, accepts, presented) =>
      mayRead(origin, accepts) && (presented === undefined || CROSS_ORIGIN_CREDENTIALS.includes(presented))
        ? { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED_HEADERS }
        : {},
    preflight: (origin, accepts, method) =>
      mayRead(origin, accepts) && method !== undefined
        ? {
            "access-control-allow-origin": origin,
            "access-control-allow-methods": method,
            "access-control-allow-headers": CROSS_ORIGIN_REQUEST_HEADERS,
            "access-control-max-age": PREFLIGHT_SECONDS
          }
        : {}
  }
}
