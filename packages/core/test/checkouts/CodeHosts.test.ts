import { rmSync } from "node:fs"
import { join } from "node:path"
import { type CodeHost, type CodeHostFailed, OrganizationId, RepositoryName } from "@earshot/core"
import { CheckoutKit } from "@earshot/test-kit"
import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, describe } from "vitest"
import { makeCodeHostHttp, readCloneUrl } from "../../src/providers/CodeHostHttp.js"
import { makeGitHubCodeHost } from "../../src/providers/GitHubCodeHost.js"
import { lapseAfter, makeGitLabCodeHost } from "../../src/providers/GitLabCodeHost.js"
import { makeLocalCodeHost } from "../../src/providers/LocalCodeHost.js"
import * as OutboundHttp from "../../src/providers/OutboundHttp.js"

const organizationId = OrganizationId.make(7)
const web = RepositoryName.make("web")

/** The engine's HTTP client, gone when the tests of this file are over. */
const clients = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(clients, Exit.void)))
const httpAllowing = (...allowHosts: ReadonlyArray<string>) =>
  Effect.runSync(
    Effect.map(Layer.build(OutboundHttp.layer({ allowHosts })), (context) =>
      makeCodeHostHttp(Context.get(context, OutboundHttp.OutboundHttp), { timeoutMillis: 400 })
    ).pipe(Scope.extend(clients))
  )
const http = httpAllowing("127.0.0.1")

const github = (fake: CheckoutKit.FakeGitHub) => ({
  host: makeGitHubCodeHost(http),
  connection: {
    organizationId,
    settings: {
      base_url: fake.url,
      app_id: fake.appId,
      installation_id: fake.installationId,
      owner: fake.owner
    },
    secret: Redacted.make(fake.privateKey)
  }
})

const gitlab = (fake: CheckoutKit.FakeGitLab) => ({
  host: makeGitLabCodeHost(http),
  connection: {
    organizationId,
    settings: { base_url: fake.url, namespace: fake.namespace },
    secret: Redacted.make(fake.accessToken)
  }
})

CheckoutKit.codeHostContract(
  "of GitHub's kind",
  Effect.map(CheckoutKit.fakeGitHub(), (fake) => ({
    ...github(fake),
    opens: (token, repository) => fake.tokens.get(token) === repository,
    withdraw: () => void fake.repositories.delete("web"),
    breakDown: () => {
      for (const method of ["GET", "POST", "DELETE"]) fake.fail(method, "/", { status: 500, body: "<oops>" })
    },
    secrets: [fake.privateKey, fake.privateKey.split("\n")[1] ?? ""]
  }))
)

CheckoutKit.codeHostContract(
  "of GitLab's kind",
  Effect.map(CheckoutKit.fakeGitLab, (fake) => ({
    ...gitlab(fake),
    opens: (token, repository) => {
      const found = [...fake.tokens.values()].find((one) => one.token === token)
      return found !== undefined && fake.projects.get(repository) === found.project
    },
    withdraw: () => void fake.projects.delete("web"),
    breakDown: () => {
      for (const method of ["GET", "POST", "DELETE"]) fake.fail(method, "/", { status: 500, body: "<oops>" })
    },
    secrets: [fake.accessToken]
  }))
)

describe.skipIf(!(await CheckoutKit.runsGitTests()))("with git", () => {
  CheckoutKit.codeHostContract(
    "of this machine",
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(Effect.sync(CheckoutKit.temporaryFolder), ({ remove }) =>
        Effect.sync(remove)
      )
      const path = join(folder.path, "7", "web.git")
      yield* Effect.promise(() => CheckoutKit.makeRepository(path, { "README.md": "Web" }))
      const { host } = makeLocalCodeHost({ directory: folder.path, publicUrl: "https://earshot.example/" })
      return {
        host,
        connection: { organizationId, settings: {}, secret: null },
        withdraw: () => rmSync(path, { recursive: true }),
        breakDown: () => rmSync(folder.path, { recursive: true }),
        secrets: []
      }
    })
  )
})

it.live("reports a missing git, and only when a local repository is requested", () =>
  Effect.gen(function* () {
    const { host } = makeLocalCodeHost({
      directory: "/",
      publicUrl: "https://earshot.example",
      git: "/nonexistent/git"
    })
    const failure = yield* Effect.flip(host.test({ organizationId, settings: {}, secret: null }))
    expect(failure.message).toContain("git is not installed on the machine")
  })
)

/** Where each step of having a checkout goes wrong, and what is answered then. */
const failing = (
  title: string,
  makeFake: Effect.Effect<
    {
      readonly fake: CheckoutKit.FakeHost
      readonly host: CodeHost
      readonly connection: Parameters<CodeHost["test"]>[0]
    },
    never,
    Scope.Scope
  >,
  steps: ReadonlyArray<readonly [method: string, path: string]>
): void => {
  const outcomes: ReadonlyArray<
    readonly [outcome: CheckoutKit.FakeOutcome, reason: RegExp, retryAfter: number | null]
  > = [
    [{ status: 401, body: { message: "Bad credentials" } }, /refuses the connection's credential/, null],
    [
      { status: 403, body: { message: "Forbidden" } },
      /forbids this|does not allow the connection to create access tokens/,
      null
    ],
    [{ status: 403, headers: { "retry-after": "30" } }, /rate limit/, 30],
    [
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }, body: {} },
      /rate limit|does not allow the connection to create access tokens/,
      1
    ],
    [{ status: 429, headers: { "retry-after": "7" } }, /rate limit/, 7],
    [{ status: 429 }, /rate limit/, 60],
    [{ status: 500, body: "<html>" }, /HTTP 500/, null],
    [{ status: 502 }, /HTTP 502/, null],
    [{ status: 503, headers: { "retry-after": "9" } }, /HTTP 503/, 9],
    [{ status: 200, body: "not json" }, /invalid response|HTTP 200/, null],
    [{ status: 201, body: [] }, /invalid response|HTTP 201/, null],
    [{ status: 201, body: { token: 5 } }, /invalid response|HTTP 201/, null],
    [{ status: 201, body: "x".repeat(2 * 1024 * 1024) }, /sent more than 1048576 bytes/, null],
    ["hangs", /longer than 0\.4 seconds/, null],
    ["cut", /cannot be reached/, null],
    ["switches", /sent no response/, null]
  ]
  describe(title, () => {
    for (const [method, path] of steps) {
      it.scopedLive(`answers for every failure of ${method} ${path}`, () =>
        Effect.gen(function* () {
          const { connection, fake, host } = yield* makeFake
          for (const [outcome, reason, retryAfter] of outcomes) {
            fake.fail(method, path, outcome)
            const failure = yield* Effect.flip(host.issue(connection, web))
            const where = JSON.stringify(outcome).slice(0, 80)
            expect(failure, where).toMatchObject({ _tag: "CodeHostFailed" })
            const failed = failure as CodeHostFailed
            expect(failed.reason, where).toMatch(reason)
            if (!failed.reason.includes("create access tokens"))
              expect(failed.retryAfterSeconds, where).toBe(retryAfter)
            fake.recover()
          }
          yield* host.issue(connection, web)
        })
      )
    }
  })
}

failing(
  "GitHub's kind",
  Effect.map(CheckoutKit.fakeGitHub(), (fake) => ({ fake, ...github(fake) })),
  [
    ["POST", "/app/installations/"],
    ["GET", "/repos/"]
  ]
)
failing(
  "GitLab's kind",
  Effect.map(CheckoutKit.fakeGitLab, (fake) => ({ fake, ...gitlab(fake) })),
  [
    ["GET", "/api/v4/projects/"],
    ["POST", "/api/v4/projects/"]
  ]
)

describe("the GitHub code host", () => {
  it.scopedLive("requests a token for reading one repository, authenticated as the app", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitHub({ tokenLength: 400 })
      const { connection, host } = github(fake)
      const checkout = yield* host.issue(connection, web)
      const [first] = fake.requests
      expect(first).toMatchObject({
        method: "POST",
        path: `/app/installations/${fake.installationId}/access_tokens`,
        body: { repositories: ["web"], permissions: { contents: "read" } },
        headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }
      })
      expect(Redacted.value(checkout.token).length).toBe(404)
      expect(checkout).toMatchObject({
        fullName: "Harbor-Dental/web",
        cloneUrl: "https://code.example/Harbor-Dental/web.git",
        defaultBranch: "main",
        username: "x-access-token"
      })
      // The private key itself never goes anywhere.
      expect(JSON.stringify(fake.requests)).not.toContain("PRIVATE KEY")
    })
  )

  it.scopedLive("distinguishes an inaccessible repository from missing permissions", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitHub()
      const { connection, host } = github(fake)
      const other = RepositoryName.make("secret")
      expect(yield* Effect.flip(host.issue(connection, other))).toMatchObject({ _tag: "RepositoryUnavailable" })
      Reflect.deleteProperty(fake.permissions, "contents")
      expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject({
        reason:
          "The app's installation does not grant reading the contents of repositories. Grant it the repository permission Contents: Read-only."
      })
      expect(yield* Effect.flip(host.test(connection))).toMatchObject({
        reason:
          "The app's installation does not grant reading the contents of repositories. Grant it the repository permission Contents: Read-only."
      })
    })
  )

  it.scopedLive("revokes a token that is wider than requested or for another repository", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitHub()
      const { connection, host } = github(fake)
      for (const grants of [
        { permissions: { contents: "write", metadata: "read" } },
        { permissions: { contents: "read", issues: "read" } },
        { permissions: { contents: "read" }, repositories: ["web", "voice-agent"] },
        { permissions: {} }
      ]) {
        fake.grants = grants
        expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject({
          reason: "The code host granted more permissions than requested."
        })
      }
      fake.grants = { repositories: ["voice-agent"] }
      expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject({ _tag: "RepositoryUnavailable" })
      expect(fake.tokens.size).toBe(0)
    })
  )

  it.scopedLive("treats a renamed or moved repository as not accessible under its old name", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitHub()
      const { connection, host } = github(fake)
      fake.fail("GET", "/repos/", { status: 301, headers: { location: "https://elsewhere.example/" } })
      expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject({ _tag: "RepositoryUnavailable" })
      expect(fake.tokens.size).toBe(0)
    })
  )

  it.scopedLive("reports in a connection test what would prevent checkouts", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitHub()
      const { connection, host } = github(fake)
      const reason = (settings: object, secret = fake.privateKey) =>
        Effect.map(
          Effect.flip(
            host.test({
              ...connection,
              settings: { ...connection.settings, ...settings },
              secret: Redacted.make(secret)
            })
          ),
          (failure) => failure.reason
        )
      expect(yield* reason({ app_id: 1 })).toContain("HTTP 401")
      expect(yield* reason({ installation_id: 1 })).toBe("The app has no such installation. Check installation_id.")
      expect(yield* reason({ owner: "somebody" })).toContain("on another account")
      const another = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
      expect(yield* reason({}, another.export({ type: "pkcs8", format: "pem" }).toString())).toContain("HTTP 401")
      const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey
      expect(yield* reason({}, short.export({ type: "pkcs8", format: "pem" }).toString())).toContain("2048 bits")
      fake.suspended = true
      expect(yield* reason({})).toBe("The app's installation is suspended. Unsuspend it at the code host.")
      expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject({ _tag: "CodeHostFailed" })
    })
  )

  it.scopedLive("accepts a key with escaped line breaks, and reports all errors of the settings at once", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitHub()
      const { connection, host } = github(fake)
      yield* host.test({ ...connection, secret: Redacted.make(fake.privateKey.replaceAll("\n", "\\n")) })
      const errors = (settings: object, secret: string | null) =>
        Either.getOrThrow(
          Either.flip(host.read({ settings: { ...settings }, secret: secret === null ? null : Redacted.make(secret) }))
        )
      expect(errors({}, null)).toEqual({
        "settings.app_id": ["This field is required."],
        "settings.installation_id": ["This field is required."],
        "settings.owner": ["This field is required."],
        secret: ["This field is required."]
      })
      const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      expect(errors(connection.settings, ed25519)).toEqual({
        secret: ["Enter the app's private key: RSA, in PEM form."]
      })
      for (const owner of ["a/b", "..", "-a", "a?b", "a#b", ""]) {
        expect(Object.keys(errors({ ...connection.settings, owner }, fake.privateKey))).toEqual(["settings.owner"])
      }
    })
  )
})

describe("the GitLab code host", () => {
  it.scopedLive("requests a token for reading one project's repository, which expires the day after its hour", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitLab
      const { connection, host } = gitlab(fake)
      const checkout = yield* host.issue(connection, web)
      const [made] = fake.tokens.values()
      expect(made).toMatchObject({ project: 11, ends: DateTime.formatIsoDateUtc(checkout.lapsesAt) })
      expect(checkout).toMatchObject({ fullName: "Harbor/dental/web", username: "oauth2", defaultBranch: "main" })
      for (const instant of ["2026-01-31T22:59:59Z", "2026-01-31T23:00:00Z", "2026-02-01T00:00:00Z"]) {
        const at = DateTime.unsafeMake(instant)
        const lapses = lapseAfter(at)
        expect(lapses.epochMillis).toBeGreaterThan(at.epochMillis)
        expect(lapses.epochMillis - at.epochMillis).toBeLessThanOrEqual(86_400_000)
      }
    })
  )

  it.scopedLive("revokes a token that is wider than requested", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitLab
      const { connection, host } = gitlab(fake)
      for (const grants of [{ scopes: ["read_repository", "api"] }, { access_level: 40 }]) {
        fake.grants = grants
        expect(yield* Effect.flip(host.issue(connection, web))).toMatchObject({
          reason: "The code host granted more permissions than requested."
        })
      }
      expect(fake.tokens.size).toBe(0)
    })
  )

  it.scopedLive("reports in a connection test a token that cannot create tokens, and an inaccessible namespace", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitLab
      const { connection, host } = gitlab(fake)
      const elsewhere = { ...connection, settings: { ...connection.settings, namespace: "Harbor" } }
      expect((yield* Effect.flip(host.test(elsewhere))).reason).toContain("has no access to its namespace")
      fake.scopes = ["read_api"]
      expect((yield* Effect.flip(host.test(connection))).reason).toContain("lacks the scope api")
    })
  )
})

describe("the addresses of code hosts", () => {
  it("must be public and use https, unless the operator allows one by name", () => {
    const strict = httpAllowing()
    for (const address of [
      "http://code.example",
      "https://127.0.0.1",
      "https://10.0.0.1/api/v3",
      "https://169.254.169.254/latest",
      "https://[::1]",
      "https://user:secret@code.example",
      "https://code.example?x=1",
      "https://code.example#x",
      "file:///etc/passwd",
      "code.example",
      ""
    ]) {
      expect(Either.isLeft(strict.readBaseUrl(address)), address).toBe(true)
    }
    expect(strict.readBaseUrl("https://code.example/api/v3//")).toEqual(Either.right("https://code.example/api/v3"))
    const open = httpAllowing("127.0.0.1", "code.internal:8443")
    expect(Either.isRight(open.readBaseUrl("http://127.0.0.1:8080"))).toBe(true)
    expect(Either.isRight(open.readBaseUrl("http://code.internal:8443"))).toBe(true)
    expect(Either.isLeft(open.readBaseUrl("http://code.internal"))).toBe(true)
  })

  it("yield clone URLs over https or with the scheme of the base URL, without credentials", () => {
    const [safe, plain] = ["https://code.example/api/v3", "http://127.0.0.1:8080"]
    expect(readCloneUrl("https://code.example/a/web.git", safe)).toEqual(Either.right("https://code.example/a/web.git"))
    expect(Either.isRight(readCloneUrl("http://127.0.0.1:8080/a/web.git", plain))).toBe(true)
    for (const url of [
      "http://code.example/a/web.git",
      "https://token@code.example/a/web.git",
      "https://x:token@code.example/a/web.git",
      "ssh://git@code.example/a/web.git",
      "git@code.example:a/web.git",
      "file:///srv/web.git",
      "ext::sh -c id",
      ""
    ]) {
      expect(Either.isLeft(readCloneUrl(url, safe)), url).toBe(true)
    }
  })

  it.scopedLive("are not requested if their name resolves to a private network", () =>
    Effect.gen(function* () {
      const fake = yield* CheckoutKit.fakeGitLab
      const url = fake.url.replace("http://127.0.0.1", "https://localhost")
      const failure = yield* Effect.flip(httpAllowing().send(url, { method: "GET", path: "/", headers: {} }))
      expect(failure.reason).toContain("has no public address")
      expect(fake.requests).toEqual([])
    })
  )
})
