/** A code host of GitLab's kind, as far as checkouts go. Source: GitLab's REST API v4. */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type FakeResponse, type FakeHost, type FakeRequest, serveFake } from "./FakeHost.js"

export interface FakeGitLab extends FakeHost {
  readonly namespace: string
  /** The access token of whoever connects. */
  readonly accessToken: string
  /** Its scopes. */
  scopes: ReadonlyArray<string>
  /** The projects of the namespace, by path. */
  readonly projects: Map<string, number>
  /** What tokens are given instead of what was asked for. */
  grants: { readonly scopes?: ReadonlyArray<string>; readonly access_level?: number }
  /** Project access tokens in force, by their id, each with its project and the day it ends on. */
  readonly tokens: ReadonlyMap<number, { readonly token: string; readonly project: number; readonly ends: string }>
}

const Wanted = Schema.Struct({
  name: Schema.NonEmptyString,
  scopes: Schema.Tuple(Schema.Literal("read_repository")),
  access_level: Schema.Literal(20),
  expires_at: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/))
})

const failure = (status: number, message: string): FakeResponse => ({ status, body: { message } })

export const fakeGitLab: Effect.Effect<FakeGitLab, never, Scope.Scope> = Effect.gen(function* () {
  const namespace = "Harbor/dental"
  const accessToken = `glpat-${randomBytes(15).toString("base64url")}`
  const projects = new Map([
    ["web", 11],
    ["voice-agent", 12]
  ])
  const tokens = new Map<number, { readonly token: string; readonly project: number; readonly ends: string }>()
  let made = 0

  const answer = ({ body, headers, method, path }: FakeRequest): FakeResponse => {
    if (headers["private-token"] !== accessToken) return failure(401, "401 Unauthorized")
    const route = `${method} ${path}`
    if (route === "GET /api/v4/personal_access_tokens/self") {
      return { status: 200, body: { id: 1, active: true, scopes: fake.scopes } }
    }
    if (route === `GET /api/v4/namespaces/${encodeURIComponent(namespace)}`) {
      return { status: 200, body: { id: 5, full_path: namespace } }
    }
    const asked = /^\/api\/v4\/projects\/([^/]+)$/.exec(path)?.[1]
    if (method === "GET" && asked !== undefined) {
      const fullPath = decodeURIComponent(asked).toLowerCase()
      const found = [...projects].find(([name]) => `${namespace}/${name}`.toLowerCase() === fullPath)
      if (found === undefined) return failure(404, "404 Project Not Found")
      const [name, id] = found
      return {
        status: 200,
        body: {
          id,
          path: name,
          path_with_namespace: `${namespace}/${name}`,
          http_url_to_repo: `https://code.example/${namespace}/${name}.git`,
          default_branch: "main"
        }
      }
    }
    const [, project = "", id] = /^\/api\/v4\/projects\/(\d+)\/access_tokens(?:\/(\d+))?$/.exec(path) ?? []
    if (method === "POST" && project !== "" && id === undefined) {
      const wanted = Schema.decodeUnknownOption(Wanted, { onExcessProperty: "error" })(body)
      if (Option.isNone(wanted)) return failure(400, "This fake makes tokens for reading one repository and no others.")
      const token = `glpat-${randomBytes(15).toString("base64url")}`
      tokens.set(++made, { token, project: Number(project), ends: wanted.value.expires_at })
      return { status: 201, body: { ...wanted.value, ...fake.grants, id: made, token, active: true, revoked: false } }
    }
    if (method === "DELETE" && id !== undefined && tokens.get(Number(id))?.project === Number(project)) {
      tokens.delete(Number(id))
      return { status: 204 }
    }
    return failure(404, "404 Not Found")
  }

  const host = yield* serveFake(answer)
  const fake: FakeGitLab = {
    ...host,
    namespace,
    accessToken,
    scopes: ["api"],
    projects,
    grants: {},
    tokens
  }
  return fake
})
