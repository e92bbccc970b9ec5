/**
 * A code host of GitHub's kind, as far as checkouts go. It checks what the real one checks, and its tokens really are
 * bound to one repository. Source: GitHub's REST API, version 2022-11-28, Apps.
 */
import { createPublicKey, generateKeyPairSync, type KeyPairSyncResult, randomBytes, verify } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type FakeResponse, type FakeHost, type FakeRequest, serveFake } from "./FakeHost.js"

export interface FakeGitHub extends FakeHost {
  readonly appId: number
  readonly installationId: number
  readonly owner: string
  /** The app's private key, as it is downloaded: PKCS #1 in PEM. */
  readonly privateKey: string
  /** The repositories that the installation offers, by name. */
  readonly repositories: Set<string>
  /** What the installation grants to its tokens. */
  readonly permissions: Record<string, string>
  /** What a token is given instead of what was asked for, by a host that does not look at that. */
  grants: { readonly permissions?: Record<string, string>; readonly repositories?: ReadonlyArray<string> }
  suspended: boolean
  /** Tokens in force, and the repository that each opens. */
  readonly tokens: ReadonlyMap<string, string>
}

export interface FakeGitHubOptions {
  /** Characters of a token beside its prefix; they have been of several lengths. */
  readonly tokenLength?: number
  /** Epoch milliseconds at which the app's tokens are checked. Default: the system clock. */
  readonly now?: () => number
}

const Header = Schema.parseJson(Schema.Struct({ alg: Schema.Literal("RS256") }))
const Claims = Schema.parseJson(Schema.Struct({ iss: Schema.String, iat: Schema.Int, exp: Schema.Int }))
const Wanted = Schema.Struct({
  repositories: Schema.Tuple(Schema.String),
  permissions: Schema.Struct({ contents: Schema.Literal("read") })
})

/** The app's keys, made once per process: it takes a fifth of a second of processor time. */
const appKeys = (): KeyPairSyncResult<string, string> =>
  (keys ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  }))
let keys: KeyPairSyncResult<string, string> | undefined

const failure = (status: number, message: string): FakeResponse => ({ status, body: { message } })

export const fakeGitHub = (options: FakeGitHubOptions = {}): Effect.Effect<FakeGitHub, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { now = Date.now, tokenLength = 36 } = options
    const { privateKey, publicKey } = appKeys()
    const appId = 271_828
    const installationId = 314_159
    const owner = "Harbor-Dental"
    const repositories = new Set<string>(["web", "voice-agent", ".github"])
    const permissions: Record<string, string> = { contents: "read", metadata: "read" }
    const tokens = new Map<string, string>()

    const isApp = (bearer: string): boolean => {
      const [header = "", claims = "", signature = ""] = bearer.split(".")
      const read = Option.all([
        Schema.decodeOption(Header)(Buffer.from(header, "base64url").toString()),
        Schema.decodeOption(Claims)(Buffer.from(claims, "base64url").toString())
      ])
      if (Option.isNone(read)) return false
      const [, { exp, iat, iss }] = read.value
      const seconds = now() / 1000
      return (
        verify(
          "RSA-SHA256",
          Buffer.from(`${header}.${claims}`),
          createPublicKey(publicKey),
          Buffer.from(signature, "base64url")
        ) &&
        iss === String(appId) &&
        iat <= seconds &&
        exp > seconds &&
        exp <= seconds + 600
      )
    }

    const described = (name: string) => ({
      name,
      full_name: `${owner}/${name}`,
      private: true,
      clone_url: `https://code.example/${owner}/${name}.git`,
      default_branch: "main"
    })
    const installation = () => ({
      id: installationId,
      account: { login: owner },
      permissions,
      suspended_at: fake.suspended ? "2026-01-01T00:00:00Z" : null
    })
    /** Names are found whatever their case, and answered in their own. */
    const named = (name: string) => [...repositories].find((one) => one.toLowerCase() === name.toLowerCase())

    const createToken = (body: unknown): FakeResponse => {
      const wanted = Schema.decodeUnknownOption(Wanted, { onExcessProperty: "error" })(body)
      if (Option.isNone(wanted)) return failure(422, "This fake makes tokens for reading one repository and no others.")
      if (fake.suspended) return failure(403, "This installation has been suspended")
      const name = named(wanted.value.repositories[0])
      if (name === undefined) {
        return failure(
          422,
          "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
      }
      if (permissions.contents === undefined) {
        return failure(422, "The permissions requested are not granted to this installation.")
      }
      const token = `ghs_${randomBytes(tokenLength).toString("hex").slice(0, tokenLength)}`
      tokens.set(token, name)
      return {
        status: 201,
        body: {
          token,
          expires_at: new Date(now() + 3_600_000).toISOString().replace(/\.\d+Z$/, "Z"),
          permissions: fake.grants.permissions ?? { contents: "read", metadata: "read" },
          repository_selection: "selected",
          repositories: (fake.grants.repositories ?? [name]).map(described)
        }
      }
    }

    /** Of a repository, the app reads its installation, and a token the repository that it opens. */
    const answerRepository = (path: string, opens: string | undefined): FakeResponse | undefined => {
      const [, ofOwner = "", name = "", rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(\/installation)?$/.exec(path) ?? []
      if (name === "") return undefined
      const found = ofOwner.toLowerCase() === owner.toLowerCase() ? named(name) : undefined
      if (rest !== "" && opens === undefined) {
        return found === undefined ? failure(404, "Not Found") : { status: 200, body: installation() }
      }
      return found === undefined || found !== opens
        ? failure(404, "Not Found")
        : { status: 200, body: described(found) }
    }

    const answer = ({ body, headers, method, path }: FakeRequest): FakeResponse => {
      const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? ""
      const opens = tokens.get(bearer)
      if (headers["user-agent"] === undefined) return failure(403, "Request forbidden by administrative rules.")
      if (opens === undefined && !isApp(bearer)) return failure(401, "Bad credentials")
      const route = `${method} ${path}`
      if (route === "DELETE /installation/token" && opens !== undefined) {
        tokens.delete(bearer)
        return { status: 204 }
      }
      const ofRepository = answerRepository(path, opens)
      if (ofRepository !== undefined) return ofRepository
      if (opens !== undefined) return failure(403, "Resource not accessible by integration")
      if (path === `/app/installations/${installationId}`) return { status: 200, body: installation() }
      if (route === `POST /app/installations/${installationId}/access_tokens`) return createToken(body)
      return failure(404, "Not Found")
    }

    const host = yield* serveFake(answer)
    const fake: FakeGitHub = {
      ...host,
      appId,
      installationId,
      owner,
      privateKey,
      repositories,
      permissions,
      grants: {},
      suspended: false,
      tokens
    }
    return fake
  })
