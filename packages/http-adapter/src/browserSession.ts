/** The cookie of a browser session, and the origins whose pages may use it. */
import type { FastifyRequest } from "fastify"

/** What a browser says of the page that sends a request: one of this server's, another one, or nothing. */
export type RequestOrigin = "own" | "other" | "unknown"

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

/**
 * The origin of a request, by `Sec-Fetch-Site` (Fetch Metadata) or else by `Origin`, which browsers that send no
 * `Sec-Fetch-Site`, as to servers without TLS, send with everything but GET and HEAD. A page of the same site but another
 * port is of another origin. `none` is a person who typed the address.
 */
export const originOf = ({ headers }: Pick<FastifyRequest, "headers">): RequestOrigin => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin" || site === "none" ? "own" : "other"
  const { host, origin } = headers
  if (origin === undefined) return "unknown"
  return host !== undefined && hostOf(origin) === host.toLowerCase() ? "own" : "other"
}

/**
 * The name of the cookie. With TLS, the prefix makes browsers keep it to this host, sent by TLS alone (RFC 6265bis, section
 * 4.1.3.2). Without, it has the port, since cookies are shared by all ports of a host.
 */
const cookieName = ({ headers }: Pick<FastifyRequest, "headers">, isSecure: boolean): string => {
  const port = /:(\d+)$/.exec(headers.host ?? "")?.[1]
  return isSecure ? "__Host-earshot_session" : `earshot_session${port === undefined ? "" : `_${port}`}`
}

const readCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

const isRead = ({ method }: Pick<FastifyRequest, "method">): boolean => method === "GET" || method === "HEAD"

/**
 * The session cookie of a request of this server's own pages. Of a request of another origin there is none, and neither of
 * one that changes something without saying where it comes from.
 */
export const sessionOf = (
  request: Pick<FastifyRequest, "headers" | "method">,
  isSecure: boolean
): string | undefined => {
  const value = readCookie(request.headers.cookie, cookieName(request, isSecure))
  if (value === undefined || value === "") return undefined
  const origin = originOf(request)
  return origin === "own" || (origin === "unknown" && isRead(request)) ? value : undefined
}

/** The header `Set-Cookie` of a session, or of none. */
export const sessionCookie = (
  request: Pick<FastifyRequest, "headers">,
  isSecure: boolean,
  session?: { readonly secret: string; readonly expiresAt: Date }
): string =>
  [
    `${cookieName(request, isSecure)}=${session?.secret ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure ? ["Secure"] : []),
    session === undefined ? "Max-Age=0" : `Expires=${session.expiresAt.toUTCString()}`
  ].join("; ")
