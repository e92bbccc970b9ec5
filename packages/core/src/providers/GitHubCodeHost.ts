/**
 * Code hosts of GitHub's kind: a checkout is an installation token of an app. Source: GitHub's REST API, version
 * 2022-11-28, "Generating an installation access token for a GitHub App" and "REST API endpoints for GitHub Apps".
 */
import { createPrivateKey, type KeyObject } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { CHECKOUT_SECONDS } from "../checkouts/Checkout.js"
import { type CodeHostFailed, RepositoryUnavailable } from "../checkouts/CheckoutErrors.js"
import type { CodeHost, HostAccess, HostCheckout, OpenConnection } from "../checkouts/CodeHost.js"
import type { RepositoryName } from "../checkouts/RepositoryName.js"
import {
  decode,
  fieldError,
  type FieldErrors,
  hasFieldErrors,
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

const KIND = "github"
const PUBLIC_API = "https://api.github.com"
/** The user name that GitHub requires with an installation token. */
const USERNAME = "x-access-token"

/** An app's numeric id or its client id, either of which signs its requests. */
const APP_ID = /^[A-Za-z0-9._-]{1,100}$/
/** A user's or an organization's login. */
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/

const pattern = (regex: RegExp, message: string) =>
  Fields.text({ max: 100, blank: false }).pipe(Schema.filter((text) => regex.test(text) || message))

const Settings = Fields.object({
  base_url: Fields.withDefault(Fields.text({ max: 500, blank: false }), PUBLIC_API),
  app_id: Schema.Union(Fields.integer({ min: 1 }), pattern(APP_ID, "Enter the app's id or its client id.")).annotations(
    {
      message: (issue) => ({
        message: issue.actual === null ? Messages.notNull : "Enter the app's id or its client id.",
        override: true
      })
    }
  ),
  installation_id: Fields.integer({ min: 1 }),
  owner: pattern(LOGIN, "Enter the login of the account that the app is installed on.")
})
type Settings = typeof Settings.Type
const decodeSettings = decode(Settings)

/** PEM as downloaded, or with line breaks escaped as \n, as in environment files. */
const readKey = (secret: Redacted.Redacted): Either.Either<KeyObject, string> =>
  Either.try({
    try: () => createPrivateKey(Redacted.value(secret).replaceAll("\\n", "\n")),
    catch: () => NOT_A_KEY
  }).pipe(
    Either.filterOrLeft(
      (key) => key.asymmetricKeyType === "rsa",
      () => NOT_A_KEY
    )
  )

const NOT_A_KEY = "Enter the app's private key: RSA, in PEM form."

const Installation = Schema.Struct({
  id: Schema.Int,
  account: Schema.NullOr(Schema.Struct({ login: Schema.optional(Schema.String) })),
  permissions: Schema.Record({ key: Schema.String, value: Schema.String }),
  suspended_at: Schema.optional(Schema.NullOr(Schema.String))
})
const readInstallation = decodeBody(Installation)

const Repository = Schema.Struct({
  name: Schema.String,
  full_name: Schema.String,
  clone_url: Schema.String,
  default_branch: Schema.String
})
const readRepository = decodeBody(Repository)

const InstallationToken = Schema.Struct({
  token: Schema.NonEmptyString,
  expires_at: Schema.DateTimeUtc,
  permissions: Schema.Record({ key: Schema.String, value: Schema.String }),
  repositories: Schema.optional(Schema.Array(Schema.Struct({ name: Schema.String, full_name: Schema.String })))
})
type InstallationToken = typeof InstallationToken.Type
const readToken = decodeBody(InstallationToken)

/** Lifetime of the app's JWT in seconds; GitHub accepts ten minutes at most, and clocks may differ by one. */
const JWT_SECONDS = 540
const CLOCK_DRIFT_SECONDS = 60

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** `contents: read` includes `metadata: read`; anything else was not requested. */
const isNarrow = (permissions: InstallationToken["permissions"]): boolean =>
  permissions.contents === "read" &&
  Object.entries(permissions).every(([name, level]) => level === "read" && (name === "contents" || name === "metadata"))

interface Opened {
  readonly settings: Settings
  readonly key: KeyObject
}

/** Validates `settings` and `secret` of a connection. */
const open = (connection: HostAccess): Either.Either<Opened, FieldErrors> => {
  const settings = decodeSettings(connection.settings)
  const key = connection.secret === null ? Either.left(Messages.required) : readKey(connection.secret)
  const errors = mergeFieldErrors(
    Either.isLeft(settings) ? underPath("settings", settings.left) : noFieldErrors,
    Either.isLeft(key) ? fieldError("secret", key.left) : noFieldErrors
  )
  return Either.isRight(settings) && Either.isRight(key)
    ? Either.right({ settings: settings.right, key: key.right })
    : Either.left(errors)
}

export const makeGitHubCodeHost = (http: CodeHostHttp): CodeHost => {
  const reopen = (connection: OpenConnection): Either.Either<Opened, CodeHostFailed> =>
    Either.mapLeft(open(connection), () =>
      failed("The connection's settings are not complete. Create another connection.")
    )

  const send = (settings: Settings, authorization: string, request: Omit<CodeHostRequest, "headers">) =>
    http.send(settings.base_url, {
      ...request,
      headers: {
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        authorization: `Bearer ${authorization}`
      }
    })

  const asApp = ({ key, settings }: Opened, request: Omit<CodeHostRequest, "headers">) =>
    Effect.gen(function* () {
      const now = Math.floor((yield* DateTime.now).epochMillis / 1000)
      const { SignJWT } = yield* Effect.promise(() => import("jose"))
      const jwt = yield* Effect.tryPromise({
        try: () =>
          new SignJWT({})
            .setProtectedHeader({ alg: "RS256", typ: "JWT" })
            .setIssuer(String(settings.app_id))
            .setIssuedAt(now - CLOCK_DRIFT_SECONDS)
            .setExpirationTime(now + JWT_SECONDS)
            .sign(key),
        catch: () =>
          failed(
            "The connection's private key cannot sign: it has fewer than 2048 bits. Create a connection with a new key."
          )
      })
      return yield* send(settings, jwt, request)
    })

  const end = (settings: Settings, token: string): Effect.Effect<void, CodeHostFailed> =>
    Effect.flatMap(send(settings, token, { method: "DELETE", path: "/installation/token" }), (response) =>
      // A token that has ended is not authenticated.
      response.status === 204 || response.status === 401 ? Effect.void : unexpectedStatus(response)
    )

  /** Why the host issues no token for this repository: it is not accessible, or its contents are not. */
  const denialReason = (opened: Opened, name: RepositoryName) =>
    Effect.gen(function* () {
      const { installation_id, owner } = opened.settings
      const response = yield* asApp(opened, { method: "GET", path: `/repos/${owner}/${name}/installation` })
      if (response.status === 404 || (response.status >= 300 && response.status < 400))
        return yield* new RepositoryUnavailable()
      if (response.status !== 200) return yield* unexpectedStatus(response)
      const installation = yield* readInstallation(response)
      if (installation.id !== installation_id) return yield* new RepositoryUnavailable()
      return yield* failed(
        "The app's installation does not grant reading the contents of repositories. Grant it the repository permission Contents: Read-only."
      )
    })

  /** The checkout of a token, if the token has no more permissions than requested. */
  const validateToken = (opened: Opened, name: RepositoryName, granted: InstallationToken) =>
    Effect.gen(function* () {
      const { settings } = opened
      const fullName = `${settings.owner}/${name}`
      if (!isNarrow(granted.permissions) || (granted.repositories ?? []).length > 1) {
        return yield* failed("The code host granted more permissions than requested.")
      }
      if (granted.repositories?.some((one) => !same(one.full_name, fullName)) === true) {
        return yield* new RepositoryUnavailable()
      }
      const response = yield* send(settings, granted.token, { method: "GET", path: `/repos/${fullName}` })
      // A renamed repository is unavailable under its old name.
      if (response.status === 404 || (response.status >= 300 && response.status < 400))
        return yield* new RepositoryUnavailable()
      if (response.status !== 200) return yield* unexpectedStatus(response)
      const repository = yield* readRepository(response)
      if (!same(repository.full_name, fullName)) return yield* new RepositoryUnavailable()
      const latest = DateTime.add(yield* DateTime.now, { seconds: CHECKOUT_SECONDS })
      const checkout: HostCheckout = {
        repo: repository.name,
        fullName: repository.full_name,
        cloneUrl: yield* readCloneUrl(repository.clone_url, settings.base_url),
        defaultBranch: repository.default_branch,
        username: USERNAME,
        token: Redacted.make(granted.token),
        expiresAt: DateTime.min(granted.expires_at, latest),
        handle: Redacted.make(granted.token),
        lapsesAt: granted.expires_at
      }
      return checkout
    })

  return {
    kind: KIND,
    read: (given) =>
      Either.flatMap(open(given), ({ settings }) => {
        const baseUrl = http.readBaseUrl(settings.base_url)
        const errors = Either.isLeft(baseUrl) ? fieldError("settings.base_url", baseUrl.left) : noFieldErrors
        return hasFieldErrors(errors)
          ? Either.left(errors)
          : Either.right({
              settings: { ...settings, base_url: Either.getOrElse(baseUrl, () => settings.base_url) },
              secret: given.secret
            })
      }),
    test: (connection) =>
      Effect.gen(function* () {
        const opened = yield* reopen(connection)
        const { installation_id, owner } = opened.settings
        const response = yield* asApp(opened, { method: "GET", path: `/app/installations/${installation_id}` })
        if (response.status === 404) return yield* failed("The app has no such installation. Check installation_id.")
        if (response.status !== 200) return yield* unexpectedStatus(response)
        const installation = yield* readInstallation(response)
        if (installation.account?.login === undefined || !same(installation.account.login, owner)) {
          return yield* failed(
            "The app's installation is on another account than the connection's owner. Check installation_id and owner."
          )
        }
        if (typeof installation.suspended_at === "string")
          return yield* failed("The app's installation is suspended. Unsuspend it at the code host.")
        if (!["read", "write"].includes(installation.permissions.contents ?? "")) {
          return yield* failed(
            "The app's installation does not grant reading the contents of repositories. Grant it the repository permission Contents: Read-only."
          )
        }
      }),
    issue: (connection, name) =>
      Effect.gen(function* () {
        const opened = yield* reopen(connection)
        const response = yield* asApp(opened, {
          method: "POST",
          path: `/app/installations/${opened.settings.installation_id}/access_tokens`,
          body: { repositories: [name], permissions: { contents: "read" } }
        })
        if (response.status === 422) return yield* denialReason(opened, name)
        if (response.status === 404)
          return yield* failed(
            "The app's installation was removed. Install the app again, and create another connection."
          )
        if (response.status !== 201) return yield* unexpectedStatus(response)
        const granted = yield* readToken(response)
        return yield* validateToken(opened, name, granted).pipe(
          Effect.onError(() => Effect.ignore(end(opened.settings, granted.token)))
        )
      }),
    release: (connection, handle) =>
      Effect.flatMap(reopen(connection), ({ settings }) => end(settings, Redacted.value(handle)))
  }
}
