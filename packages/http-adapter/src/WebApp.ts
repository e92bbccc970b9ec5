/** The web app: the static files of `@earshot/web`, read into memory when a server starts. */
import { type Dirent, readdirSync, readFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { createRequire } from "node:module"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { RawEndpoint, RawRequest, SuccessResponse } from "./Endpoint.js"
import { messageErrors } from "./ErrorResponses.js"
import { framedBy } from "./SecurityHeaders.js"

/**
 * The app calls nothing but this server: no other host, no inline script or style. `data:` is for the images that browsers
 * draw in form controls.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'"

const IMMUTABLE = "public, max-age=31536000, immutable"

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

/** A file with its compressed forms, by content coding. */
interface WebFile {
  readonly type: string
  readonly plain: Buffer
  readonly codings: ReadonlyMap<string, Buffer>
}

const CODINGS: ReadonlyArray<readonly [coding: string, extension: string]> = [
  ["br", ".br"],
  ["gzip", ".gz"]
]

const isCompressed = (name: string): boolean => CODINGS.some(([, extension]) => name.endsWith(extension))

const read = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

const readWebFile = (file: string): WebFile => ({
  type: TYPES[path.extname(file)] ?? "application/octet-stream",
  plain: readFileSync(file),
  codings: new Map(
    CODINGS.flatMap(([coding, extension]) => {
      const content = read(`${file}${extension}`)
      return content === undefined ? [] : [[coding, content] as const]
    })
  )
})

const assetsIn = (folder: string): ReadonlyMap<string, WebFile> => {
  let entries: ReadonlyArray<Dirent>
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return new Map()
  }
  return new Map(
    entries
      .filter((entry) => entry.isFile() && !isCompressed(entry.name))
      .map(({ name }) => [name, readWebFile(path.join(folder, name))])
  )
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Earshot</title></head>
<body><h1>The web app has not been built</h1><p>Run <code>pnpm build</code> in the checkout of Earshot and start the server again.</p></body></html>
`

/** The page of the app, whose addresses follow the base path of the server. */
const pageOf = (html: string, basePath: string): Buffer =>
  Buffer.from(
    html
      .replace('data-base=""', `data-base="${basePath}"`)
      .replaceAll('"./assets/', `"${basePath}/app/assets/`)
      // The page and its files are of one origin.
      .replaceAll(" crossorigin", "")
  )

/** Whether a client accepts a content coding; `gzip;q=0` refuses it (RFC 9110, section 12.5.3). */
const accepts = (headers: IncomingHttpHeaders, coding: string): boolean => {
  const header = headers["accept-encoding"]
  return (Array.isArray(header) ? header.join(",") : (header ?? ""))
    .split(",")
    .map((one) => one.trim().split(/\s*;\s*/))
    .some(([name, quality]) => name?.toLowerCase() === coding && !/^q=0(?:\.0*)?$/.test(quality ?? ""))
}

const response = (
  file: WebFile,
  headers: IncomingHttpHeaders,
  cacheControl: string,
  policy = CONTENT_SECURITY_POLICY
): SuccessResponse => {
  const coding = [...file.codings.keys()].find((one) => accepts(headers, one))
  return {
    status: 200,
    content: { as: "text", type: file.type, text: (coding && file.codings.get(coding)) ?? file.plain },
    headers: {
      "cache-control": cacheControl,
      "content-security-policy": policy,
      vary: "Accept-Encoding",
      ...(coding === undefined ? {} : { "content-encoding": coding })
    }
  }
}

const wantsHtml = ({ headers }: RawRequest): boolean => /\btext\/html\b/.test(headers.accept ?? "")

/**
 * The endpoints of the app. Every path below `/app/` that is no file is a page of the app, which is routed in the browser.
 * Those below `/app/share` show what a link or an embedded session was issued for, and no other page may be in a frame.
 *
 * @param allowOrigins the origins whose pages may have the shared pages in a frame
 * @param folder the built app. Default: that of `@earshot/web`
 */
export const webApp = (
  basePath: string,
  allowOrigins: ReadonlyArray<string>,
  folder = builtApp()
): ReadonlyArray<RawEndpoint> => {
  const assets = assetsIn(path.join(folder, "assets"))
  const html = read(path.join(folder, "index.html"))?.toString()
  const page: WebFile = {
    type: "text/html; charset=utf-8",
    plain: html === undefined ? Buffer.from(NOT_BUILT) : pageOf(html, basePath),
    codings: new Map()
  }
  const endpoint = (route: `/${string}`, id: string, handle: RawEndpoint["handle"]): RawEndpoint => ({
    method: "GET",
    path: route,
    id,
    operation: "raw",
    tag: "Service",
    summary: "The web app",
    challenge: "",
    responses: [{ status: 200, description: "The file.", mediaType: "text/html" }],
    handle
  })
  const sendPage = ({ headers }: RawRequest) => Effect.succeed(response(page, headers, "no-cache"))
  const sharedPolicy = `${CONTENT_SECURITY_POLICY}; ${framedBy(allowOrigins)}`
  const sendShared = ({ headers }: RawRequest) => Effect.succeed(response(page, headers, "no-cache", sharedPolicy))
  return [
    endpoint("/app", "web.home", sendPage),
    endpoint("/app/*", "web.page", sendPage),
    endpoint("/app/share", "web.shared", sendShared),
    endpoint("/app/share/*", "web.sharedPage", sendShared),
    endpoint("/app/assets/:file", "web.asset", ({ headers, params }) => {
      const file = assets.get(params.file ?? "")
      return file === undefined ? messageErrors.notFound : Effect.succeed(response(file, headers, IMMUTABLE))
    }),
    endpoint("/", "web.root", (request) =>
      wantsHtml(request)
        ? Effect.succeed({ status: 302, headers: { location: `${basePath}/app/` } })
        : messageErrors.notFound
    )
  ]
}

const builtApp = (): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve("@earshot/web/package.json")), "dist/app")
