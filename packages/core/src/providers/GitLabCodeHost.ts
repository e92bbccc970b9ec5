/**
 * Code hosts of GitLab's kind: a checkout is a project access token. Source: GitLab's REST API v4, "Project access tokens",
 * "Projects", "Namespaces", "Personal access tokens".
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { SecretSource } from "../access/SecretSource.js"
import { CHECKOUT_SECONDS } from "../checkouts/Checkout.js"
import { type CodeHostFailed, RepositoryUnavailable } from "../checkouts/CheckoutErrors.js"
import type { CodeHost, HostAccess, HostCheckout, OpenConnection } from "../checkouts/CodeHost.js"
import {
  decode,
  fieldError,
  type FieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  underPath
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import {
  type CodeHostHttp,
  failed,
  type CodeHostRequest,
  decodeBody,
  readCloneUrl,
  unexpectedStatus
} from "./CodeHostHttp.js"

const KIND = "gitlab"
const PUBLIC_SITE = "https://gitlab.com"
/** GitLab accepts any user name with a project access token. */
const USERNAME = "oauth2"
/** The lowest role that reads the code of a private project. */
const REPORTER = 20
const SCOPES = ["read_repository"]

/** A group or user, with its parent groups: `harbor/web`. */
const NAMESPACE = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*)*$/

const Settings = Fields.object({
  base_url: Fields.withDefault(Fields.text({ max: 500, blank: false }), PUBLIC_SITE),
  namespace: Fields.text({ max: 500, blank: false }).pipe(
    Schema.filter(
      (text) =>
        (NAMESPACE.test(text) && !text.includes("..")) || "Enter the path of a group or user, such as harbor/web."
    )
  )
})
type Settings = typeof Settings.Type
const decodeSettings = decode(Settings)

const Token = Schema.Struct({ scopes: Schema.Array(Schema.String), active: Schema.optional(Schema.Boolean) })
const readOwnToken = decodeBody(Token)

const Namespace = Schema.Struct({ full_path: Schema.String })
const readNamespace = decodeBody(Namespace)

const Project = Schema.Struct({
  id: Schema.Int,
  path: Schema.String,
  path_with_namespace: Schema.String,
  http_url_to_repo: Schema.String,
  default_branch: Schema.optional(Schema.NullOr(Schema.String))
})
const readProject = decodeBody(Project)

const Issued = Schema.Struct({
  id: Schema.Int,
  token: Schema.NonEmptyString,
  scopes: Schema.Array(Schema.String),
  access_level: Schema.optional(Schema.Int)
})
const readIssued = decodeBody(Issued)

const Handle = Schema.parseJson(Schema.Struct({ project: Schema.Int, token: Schema.Int }))
type Handle = typeof Handle.Type

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

interface Opened {
  readonly settings: Settings
  readonly token: string
}

const open = ({ secret, settings: given }: HostAccess): Either.Either<Opened, FieldErrors> => {
  const settings = decodeSettings(given)
  const token = secret === null ? "" : Redacted.value(secret).trim()
  const errors = mergeFieldErrors(
    Either.isLeft(settings) ? underPath("settings", settings.left) : noFieldErrors,
    token === ""
      ? fieldError("secret", Messages.required)
      : /^[\x21-\x7e]+$/.test(token)
        ? noFieldErrors
        : fieldError("secret", "Enter an access token.")
  )
  return Either.isRight(settings) && Object.keys(errors).length === 0
    ? Either.right({ settings: settings.right, token })
    : Either.left(errors)
}

/**
 * The expiry date of a token; GitLab rejects the token from the start of that day (UTC). The first start of a day after the
 * checkout's own end, which is enforced by revoking the token.
 */
export const lapseAfter = (expiresAt: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.startOf(expiresAt, "day"), { days: 1 })

export const makeGitLabCodeHost = (http: CodeHostHttp): CodeHost => {
  const reopen = (connection: OpenConnection): Either.Either<Opened, CodeHostFailed> =>
    Either.mapLeft(open(connection), () =>
      failed("The connection's settings are not complete. Create another connection.")
    )

  const send = ({ settings, token }: Opened, request: Omit<CodeHostRequest, "headers">) =>
    http.send(`${settings.base_url}/api/v4`, { ...request, headers: { "private-token": token } })

  const end = (opened: Opened, handle: Handle): Effect.Effect<void, CodeHostFailed> =>
    Effect.flatMap(
      send(opened, { method: "DELETE", path: `/projects/${handle.project}/access_tokens/${handle.token}` }),
      (response) => (response.status === 204 || response.status === 404 ? Effect.void : unexpectedStatus(response))
    )

  return {
    kind: KIND,
    read: (given) =>
      Either.flatMap(open(given), ({ settings, token }) =>
        Either.mapBoth(http.readBaseUrl(settings.base_url), {
          onLeft: (message) => fieldError("settings.base_url", message),
          onRight: (baseUrl) => ({ settings: { ...settings, base_url: baseUrl }, secret: Redacted.make(token) })
        })
      ),
    test: (connection) =>
      Effect.gen(function* () {
        const opened = yield* reopen(connection)
        const self = yield* send(opened, { method: "GET", path: "/personal_access_tokens/self" })
        if (self.status !== 200) return yield* unexpectedStatus(self)
        const own = yield* readOwnToken(self)
        if (!own.scopes.includes("api"))
          return yield* failed(
            "The connection's access token lacks the scope api. Create a connection with a token that has it."
          )
        if (own.active === false)
          return yield* failed("The connection's access token has expired. Create a connection with a new one.")
        const { namespace } = opened.settings
        const response = yield* send(opened, { method: "GET", path: `/namespaces/${encodeURIComponent(namespace)}` })
        if (response.status === 404)
          return yield* failed(
            "The connection's access token has no access to its namespace. Check the setting namespace."
          )
        if (response.status !== 200) return yield* unexpectedStatus(response)
        const found = yield* readNamespace(response)
        if (!same(found.full_path, namespace)) {
          return yield* failed(
            "The connection's access token has no access to its namespace. Check the setting namespace."
          )
        }
      }),
    issue: (connection, name) =>
      Effect.gen(function* () {
        const opened = yield* reopen(connection)
        const fullName = `${opened.settings.namespace}/${name}`
        const response = yield* send(opened, { method: "GET", path: `/projects/${encodeURIComponent(fullName)}` })
        // A renamed repository is unavailable under its old name.
        if (response.status === 404 || (response.status >= 300 && response.status < 400))
          return yield* new RepositoryUnavailable()
        if (response.status !== 200) return yield* unexpectedStatus(response)
        const project = yield* readProject(response)
        if (!same(project.path_with_namespace, fullName)) return yield* new RepositoryUnavailable()
        const cloneUrl = yield* readCloneUrl(project.http_url_to_repo, opened.settings.base_url)
        const source = yield* SecretSource
        const expiresAt = DateTime.add(yield* DateTime.now, { seconds: CHECKOUT_SECONDS })
        const lapsesAt = lapseAfter(expiresAt)
        const created = yield* send(opened, {
          method: "POST",
          path: `/projects/${project.id}/access_tokens`,
          body: {
            name: `earshot-checkout-${Buffer.from(source.bytes(6)).toString("hex")}`,
            scopes: SCOPES,
            access_level: REPORTER,
            expires_at: DateTime.formatIsoDateUtc(lapsesAt)
          }
        })
        if ([400, 403, 404, 422].includes(created.status) && !isLimited(created.headers)) {
          return yield* failed(
            "The code host does not allow the connection to create access tokens for this project. Its access token needs the role Maintainer."
          )
        }
        if (created.status !== 201) return yield* unexpectedStatus(created)
        const issued = yield* readIssued(created)
        const handle: Handle = { project: project.id, token: issued.id }
        if (issued.scopes.some((scope) => !SCOPES.includes(scope)) || (issued.access_level ?? REPORTER) > REPORTER) {
          yield* Effect.ignore(end(opened, handle))
          return yield* failed("The code host granted more permissions than requested.")
        }
        const checkout: HostCheckout = {
          repo: project.path,
          fullName: project.path_with_namespace,
          cloneUrl,
          defaultBranch: project.default_branch ?? null,
          username: USERNAME,
          token: Redacted.make(issued.token),
          expiresAt,
          handle: Redacted.make(Schema.encodeSync(Handle)(handle)),
          lapsesAt
        }
        return checkout
      }),
    release: (connection, handle) =>
      Effect.gen(function* () {
        const opened = yield* reopen(connection)
        const read = Schema.decodeUnknownOption(Handle)(Redacted.value(handle))
        // An invalid handle refers to no token of this engine.
        if (read._tag === "Some") yield* end(opened, read.value)
      })
  }
}

const isLimited = (headers: Readonly<Record<string, unknown>>): boolean => headers["retry-after"] !== undefined
