/** The page at `/docs`: Swagger UI for `/openapi.json`, with all of its assets served from the same origin. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

interface DocsFile {
  readonly path: `/${string}`
  readonly type: string
  readonly content: Buffer
}

const page = (basePath: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Earshot</title>
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="docs"></div>
<noscript>This page requires JavaScript. The API description is in <a href="${basePath}/openapi.json">openapi.json</a>.</noscript>
<script src="${basePath}/docs/swagger-ui.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`

/** `validatorUrl: null` turns off a badge that is loaded from another host. */
const startScript = (basePath: string) => `SwaggerUIBundle({
  url: "${basePath}/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  tagsSorter: "alpha"
})
`

const asset = (name: string): Buffer =>
  readFileSync(createRequire(import.meta.url).resolve(`@fastify/swagger-ui/static/${name}`))

const HTML = "text/html; charset=utf-8"
const SCRIPT = "text/javascript; charset=utf-8"

/** The page's files, read when a server starts, not when this module is loaded. */
export const docsFiles = (basePath: string): ReadonlyArray<DocsFile> => [
  { path: "/docs", type: HTML, content: Buffer.from(page(basePath)) },
  { path: "/docs/start.js", type: SCRIPT, content: Buffer.from(startScript(basePath)) },
  { path: "/docs/swagger-ui.js", type: SCRIPT, content: asset("swagger-ui-bundle.js") },
  { path: "/docs/swagger-ui.css", type: "text/css; charset=utf-8", content: asset("swagger-ui.css") }
]
