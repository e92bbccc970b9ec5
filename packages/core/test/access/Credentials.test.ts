import {
  type Actor,
  ApiKeys,
  type CredentialKind,
  Credentials,
  Dashboards,
  type Operation,
  type OperationRule,
  operations,
  Organizations,
  type Permission,
  type Presented,
  Projects,
  ShareableLinks,
  Tokens,
  Users,
  untrusted
} from "@earshot/core"
import { AccessKit, TestEngine } from "@earshot/test-kit"
import { type PlainEngine, startEngine } from "@earshot/test-kit/plain"
import { afterAll, describe, expect, it, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const allOperations = Object.keys(operations) as ReadonlyArray<Operation>
const ruleOf = (operation: Operation): OperationRule => operations[operation]

/** The interface's table (Authentication), for the endpoints that exist. */
const pinned: ReadonlyArray<readonly [Operation, ReadonlyArray<CredentialKind>]> = [
  ["checkouts.create", ["api_key"]],
  ["widgets.update", ["api_key"]],
  ["dashboards.create", ["api_key", "oauth2", "embedded_session", "shareable_link", "dashboard_session"]],
  ["calls.ingest", ["api_key"]]
]

describe("the table of operations", () => {
  it.each(pinned)("%s accepts what the interface says", (operation, kinds) => {
    expect([...ruleOf(operation).accepts].sort()).toEqual([...kinds].sort())
  })

  it("requires an agent session in addition to the key for checkouts only", () => {
    expect(allOperations.filter((operation) => ruleOf(operation).additionalCredential !== undefined)).toEqual([
      "checkouts.create"
    ])
  })
})

/** The time in so many hours, as inputs say it. */
const inHours = (hours: number) => Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { hours })))

/** One credential of each kind that may do everything, of one organization. */
const wallet = Effect.gen(function* () {
  const { actor, agent, apiKey, organization, project } = yield* TestEngine.fixture
  const tokens = yield* Tokens
  const links = yield* ShareableLinks
  const permissions = [...actor.permissions]
  const bounds = [{ type: "agent", id: agent.id }]
  const token = (kind: string, more: object = {}) =>
    tokens.issue(untrusted({ kind, permissions, ...more })).pipe(
      TestEngine.as(actor),
      Effect.map(({ token }): Presented => ({ bearer: Redacted.value(token) }))
    )
  const link = yield* links.create(untrusted({ permissions, bounds })).pipe(TestEngine.as(actor))
  const presented: Record<Exclude<CredentialKind, "host">, Presented> = {
    api_key: { apiKey: Redacted.value(apiKey.secret) },
    oauth2: yield* token("oauth2"),
    dashboard_session: yield* token("dashboard_session"),
    embedded_session: yield* token("embedded_session", { bounds }),
    agent_session: yield* token("agent_session", { bounds }),
    shareable_link: { shareableLink: Redacted.value(link.secret) }
  }
  return { actor, agent, organization, project, presented }
})

const kinds = ["api_key", "oauth2", "dashboard_session", "embedded_session", "agent_session", "shareable_link"] as const

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`admission on ${database}`, (it) => {
    it.effect("accepts each kind of credential for exactly the operations that list it", () =>
      Effect.gen(function* () {
        const credentials = yield* Credentials
        const { organization, presented } = yield* wallet
        for (const operation of allOperations) {
          const rule = ruleOf(operation)
          for (const kind of kinds) {
            const answer = yield* Effect.either(credentials.admit(operation, presented[kind]))
            const unbound = kind === "api_key" || kind === "oauth2" || kind === "dashboard_session"
            if (!rule.accepts.includes(kind) || rule.additionalCredential !== undefined) {
              expect(answer, `${operation} by ${kind}`).toMatchObject({ left: { _tag: "Unauthenticated" } })
            } else if (rule.organizationWide === true && !unbound) {
              expect(answer, `${operation} by ${kind}`).toMatchObject({ left: { _tag: "Forbidden" } })
            } else {
              expect(answer, `${operation} by ${kind}`).toMatchObject({
                right: { credential: kind, organizationId: organization.id }
              })
            }
          }
        }
      })
    )

    it.effect("reports the missing permission", () =>
      Effect.gen(function* () {
        const credentials = yield* Credentials
        const keys = yield* ApiKeys
        const { actor } = yield* TestEngine.fixture
        for (const operation of allOperations.filter((one) => ruleOf(one).additionalCredential === undefined)) {
          const { needs } = ruleOf(operation)
          const others = [...actor.permissions].filter((permission) => permission !== needs)
          const key = yield* keys.create({ name: "Nearly all", scopes: others }).pipe(TestEngine.as(actor))
          expect(
            yield* Effect.flip(credentials.admit(operation, { apiKey: Redacted.value(key.secret) })),
            operation
          ).toMatchObject({ _tag: "Forbidden", permission: needs })
        }
      })
    )

    it.effect(
      "requires both credentials of a checkout, of one organization, and limits the caller to the session's scope",
      () =>
        Effect.gen(function* () {
          const credentials = yield* Credentials
          const { agent, presented } = yield* wallet
          const { presented: others } = yield* wallet
          const { api_key, agent_session, oauth2 } = presented
          const admit = (all: Presented) => Effect.either(credentials.admit("checkouts.create", all))
          expect(yield* admit({ ...api_key, ...agent_session })).toMatchObject({
            right: {
              credential: "api_key",
              additionalCredential: "agent_session",
              bounds: [{ type: "agent", id: agent.id }]
            }
          })
          for (const rejected of [
            api_key,
            agent_session,
            { ...api_key, ...oauth2 },
            { ...api_key, ...others.agent_session },
            { ...api_key, bearer: "" }
          ]) {
            expect(yield* admit(rejected)).toMatchObject({ left: { _tag: "Unauthenticated" } })
          }
        })
    )

    it.effect("uses the first credential that the operation accepts, and rejects it if it is invalid", () =>
      Effect.gen(function* () {
        const credentials = yield* Credentials
        const { presented } = yield* wallet
        const all = { ...presented.api_key, ...presented.oauth2, ...presented.shareable_link }
        expect(yield* credentials.admit("dashboards.list", all)).toMatchObject({ credential: "api_key" })
        expect(yield* credentials.admit("dashboards.list", { ...all, apiKey: undefined })).toMatchObject({
          credential: "oauth2"
        })
        // Not looked at, since a key is all that this operation accepts.
        expect(yield* credentials.admit("calls.ingest", { ...all, bearer: "nonsense" })).toMatchObject({
          credential: "api_key"
        })
        expect(yield* Effect.flip(credentials.admit("dashboards.list", { ...all, apiKey: "ear_wrong" }))).toMatchObject(
          {
            _tag: "Unauthenticated",
            reason: "Invalid credentials."
          }
        )
        expect(yield* Effect.flip(credentials.admit("calls.ingest", presented.oauth2))).toMatchObject({
          reason: "Authentication credentials were not provided."
        })
      })
    )

    it.effect("rejects a key from the instant of its expiry, and once it is revoked", () =>
      Effect.gen(function* () {
        const credentials = yield* Credentials
        const keys = yield* ApiKeys
        const { actor } = yield* TestEngine.fixture
        const made = yield* keys.create({ name: "An hour", expires_at: yield* inHours(1) }).pipe(TestEngine.as(actor))
        const admit = Effect.either(credentials.admit("calls.ingest", { apiKey: Redacted.value(made.secret) }))
        yield* TestClock.adjust("3599999 millis")
        expect(yield* admit).toMatchObject({ _tag: "Right" })
        yield* TestClock.adjust("1 millis")
        expect(yield* admit).toMatchObject({ left: { _tag: "Unauthenticated", reason: "Invalid credentials." } })

        const other = yield* keys.create({ name: "Open-ended" }).pipe(TestEngine.as(actor))
        const admitOther = Effect.either(credentials.admit("calls.ingest", { apiKey: Redacted.value(other.secret) }))
        expect(yield* admitOther).toMatchObject({ _tag: "Right" })
        yield* keys.revoke(other.key.id).pipe(TestEngine.as(actor))
        expect(yield* admitOther).toMatchObject({ left: { _tag: "Unauthenticated" } })
        yield* keys.revoke(other.key.id).pipe(TestEngine.as(actor))
        const { results } = yield* keys.list({}).pipe(TestEngine.as(actor))
        expect(results.find((key) => key.id === other.key.id)).toMatchObject({ revokedAt: yield* DateTime.now })
        expect(JSON.stringify(results)).not.toContain(Redacted.value(other.secret))
      })
    )

    it.effect("rejects a link once it has expired or was revoked", () =>
      Effect.gen(function* () {
        const credentials = yield* Credentials
        const links = yield* ShareableLinks
        const { actor, project } = yield* TestEngine.fixture
        const make = links
          .create({ bounds: [{ type: "project", id: project.id }], expires_at: yield* inHours(2) })
          .pipe(TestEngine.as(actor))
        const admit = (secret: Redacted.Redacted) =>
          Effect.either(credentials.admit("dashboards.list", { shareableLink: Redacted.value(secret) }))
        const one = yield* make
        const two = yield* make
        expect(yield* admit(one.secret)).toMatchObject({ right: { bounds: [{ type: "project", id: project.id }] } })
        yield* links.revoke(one.link.id).pipe(TestEngine.as(actor))
        expect(yield* admit(one.secret)).toMatchObject({ _tag: "Left" })
        expect(yield* admit(two.secret)).toMatchObject({ _tag: "Right" })
        yield* TestClock.adjust("2 hours")
        expect(yield* admit(two.secret)).toMatchObject({ _tag: "Left" })
        expect((yield* links.list({}).pipe(TestEngine.as(actor))).results).toHaveLength(2)
      })
    )

    it.effect("hides keys and links from other organizations, which cannot revoke them", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const links = yield* ShareableLinks
        const mine = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const link = yield* links
          .create({ bounds: [{ type: "agent", id: mine.agent.id }] })
          .pipe(TestEngine.as(mine.actor))
        const as = TestEngine.as(other.actor)
        expect(yield* Effect.flip(keys.revoke(mine.apiKey.key.id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(links.revoke(link.link.id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect((yield* keys.list({}).pipe(as)).results.map((key) => key.organizationId)).toEqual([
          other.organization.id
        ])
        expect((yield* links.list({}).pipe(as)).results).toEqual([])
      })
    )

    it.effect("reports all field errors of an input at once", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const tokens = yield* Tokens
        const links = yield* ShareableLinks
        const { actor } = yield* TestEngine.fixture
        const errorsOf = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(TestEngine.as(actor)(useCase)), (error) => (error as { errors?: object }).errors)
        expect(
          yield* errorsOf(keys.create(untrusted({ name: "", scopes: ["everything"], expires_at: "soon" })))
        ).toEqual({
          name: ["This field may not be blank."],
          "scopes[0]": [expect.stringContaining('"everything" is not a valid choice. Choose from ')],
          expires_at: [expect.stringContaining("wrong format")]
        })
        expect(yield* errorsOf(keys.create({ name: "x", expires_at: "1969-12-31T23:59:59Z" }))).toEqual({
          expires_at: ["Must be in the future."]
        })
        expect(yield* errorsOf(tokens.issue({ kind: "embedded_session", ttl: 90_000, user: 4711 }))).toEqual({
          bounds: ["This field is required."],
          ttl: ["Ensure this value is less than or equal to 86400."],
          user: ['Invalid pk "4711" - object does not exist.']
        })
        expect(yield* errorsOf(tokens.issue(untrusted({ kind: "host" })))).toEqual({
          kind: [expect.stringContaining('"host" is not a valid choice. Choose from ')]
        })
        expect(yield* errorsOf(links.create(untrusted({ bounds: [{ type: "planet", id: 0 }] })))).toEqual({
          "bounds[0].type": [expect.stringContaining('"planet" is not a valid choice. Choose from ')],
          "bounds[0].id": ["Ensure this value is greater than or equal to 1."]
        })
      })
    )

    it.effect("rejects bounds to missing resources, and discloses nothing outside the issuer's scope", () =>
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const links = yield* ShareableLinks
        const projects = yield* Projects
        const dashboards = yield* Dashboards
        const mine = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const as = TestEngine.as(mine.actor)
        const theirs = yield* dashboards
          .create({ name: "Theirs", project: other.project.id })
          .pipe(TestEngine.as(other.actor))
        const project = yield* projects.create({ name: "Gone" }).pipe(as)
        const dashboard = yield* dashboards.create({ name: "Gone", project: project.id }).pipe(as)
        const bounds = [
          { type: "agent", id: mine.agent.id },
          { type: "dashboard", id: dashboard.id },
          { type: "project", id: project.id },
          { type: "agent", id: mine.agent.id }
        ]
        const issuing = (bounds: ReadonlyArray<object>) => [
          Effect.asVoid(tokens.issue(untrusted({ kind: "oauth2", bounds }))),
          Effect.asVoid(tokens.issue(untrusted({ kind: "embedded_session", bounds }))),
          Effect.asVoid(links.create(untrusted({ bounds })))
        ]
        for (const issue of issuing(bounds)) yield* as(issue)
        yield* projects.delete(project.id).pipe(as)
        const absent = (id: number) => [`Invalid pk "${id}" - object does not exist.`]
        for (const issue of issuing(bounds)) {
          expect(yield* Effect.flip(as(issue))).toMatchObject({
            _tag: "ValidationFailed",
            errors: { "bounds[1].id": absent(dashboard.id), "bounds[2].id": absent(project.id) }
          })
        }
        const strange = [
          { type: "project", id: other.project.id },
          { type: "agent", id: other.agent.id },
          { type: "dashboard", id: theirs.id },
          { type: "result", id: 4711 },
          { type: "project", id: Number.MAX_SAFE_INTEGER }
        ]
        for (const issue of issuing(strange)) {
          const failure = yield* Effect.flip(as(issue))
          expect(failure).toMatchObject({
            errors: Object.fromEntries(strange.map(({ id }, at) => [`bounds[${at}].id`, absent(id)]))
          })
        }
        expect((yield* links.list({}).pipe(as)).results).toHaveLength(1)
        const bound: Actor = { ...mine.actor, bounds: [{ type: "agent", id: mine.agent.id }] }
        const beyond = ["You cannot grant access to a resource outside your own scope."]
        const [issue] = issuing([
          { type: "project", id: mine.project.id },
          { type: "project", id: 4711 }
        ])
        expect((yield* Effect.flip(TestEngine.as(bound)(issue ?? Effect.void))) as { errors?: object }).toMatchObject({
          errors: { "bounds[0]": beyond, "bounds[1]": beyond }
        })
      })
    )

    it.effect("issues sessions for users, whose email addresses are unique", () =>
      Effect.gen(function* () {
        const users = yield* Users
        const tokens = yield* Tokens
        const credentials = yield* Credentials
        const { actor } = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const user = yield* users.create({ email: "Ada@Example.org", name: "Ada" }).pipe(as)
        expect(user.email).toBe("ada@example.org")
        expect(yield* Effect.flip(users.create({ email: "ADA@example.org" }).pipe(as))).toMatchObject({
          errors: { email: ["This field must be unique."] }
        })
        expect(yield* Effect.flip(users.create({ email: "nobody" }).pipe(as))).toMatchObject({
          errors: { email: ["Enter a valid email address."] }
        })
        yield* users.create({ email: "ada@example.org" }).pipe(TestEngine.as(other.actor))
        expect((yield* users.list({}).pipe(as)).results).toEqual([user])

        const session = yield* tokens.issue({ kind: "dashboard_session", user: user.id }).pipe(as)
        const person = yield* credentials.admit("dashboards.list", { bearer: Redacted.value(session.token) })
        expect(person.userId).toBe(user.id)
        const key = yield* Effect.flatMap(ApiKeys, (keys) => keys.create({ name: "Ada's" })).pipe(TestEngine.as(person))
        expect(key.key.createdBy).toBe(user.id)
        expect(
          yield* Effect.flip(tokens.issue({ kind: "oauth2", user: user.id }).pipe(TestEngine.as(other.actor)))
        ).toMatchObject({ errors: { user: [expect.stringContaining("does not exist")] } })
      })
    )
  })
}

const permissionsBut = (actor: Actor, ...without: ReadonlyArray<Permission>) =>
  [...actor.permissions].filter((permission) => !without.includes(permission))

layer(TestEngine.layer("sqlite"))("an issued credential", (it) => {
  it.effect("has the permissions of its issuer by default, if it is a key", () =>
    Effect.gen(function* () {
      const { actor } = yield* TestEngine.fixture
      const keys = yield* ApiKeys
      const limited: Actor = { ...actor, permissions: new Set(permissionsBut(actor, "calls:delete", "calls:write")) }
      const key = yield* keys.create({ name: "x" }).pipe(TestEngine.as(limited))
      expect(new Set(key.key.scopes)).toEqual(limited.permissions)
    })
  )

  it.effect("may not delete by default, if it is an embedded session or a link", () =>
    Effect.gen(function* () {
      const { actor, agent } = yield* TestEngine.fixture
      const tokens = yield* Tokens
      const links = yield* ShareableLinks
      const bounds = [{ type: "agent", id: agent.id }]
      const reads = [...actor.permissions].filter((permission) => permission.endsWith(":read"))
      const session = yield* tokens.issue(untrusted({ kind: "embedded_session", bounds })).pipe(TestEngine.as(actor))
      const link = yield* links.create(untrusted({ bounds })).pipe(TestEngine.as(actor))
      expect(session.permissions).toEqual(reads)
      expect(link.link.permissions).toEqual(reads)
      const granted = yield* links
        .create(untrusted({ bounds, permissions: ["dashboards:delete"] }))
        .pipe(TestEngine.as(actor))
      expect(granted.link.permissions).toEqual(["dashboards:delete"])
    })
  )

  it.effect("must have exactly one agent as its bound, if it is an agent session", () =>
    Effect.gen(function* () {
      const { actor, agent, project } = yield* TestEngine.fixture
      const tokens = yield* Tokens
      const one = { type: "agent", id: agent.id }
      for (const bounds of [[{ type: "project", id: project.id }], [one, { type: "agent", id: agent.id + 1 }]]) {
        expect(
          yield* Effect.flip(tokens.issue(untrusted({ kind: "agent_session", bounds })).pipe(TestEngine.as(actor)))
        ).toMatchObject({ errors: { bounds: ["An agent session must have exactly one bound, of type agent."] } })
      }
      expect(
        yield* tokens.issue(untrusted({ kind: "agent_session", bounds: [one] })).pipe(TestEngine.as(actor))
      ).toMatchObject({
        expiresAt: { epochMillis: 600_000 }
      })
    })
  )
})

describe.each(TestEngine.databases)("credentials on %s", (database) => {
  let engine: PlainEngine | undefined
  const fixture = async () => {
    engine ??= await startEngine({ database })
    return AccessKit.engineCredentialFixture(engine)
  }
  afterAll(() => engine?.stop())
  for (const { check, name } of AccessKit.credentialProperties(fixture)) it(name, check)
})

layer(TestEngine.layer("sqlite"))("an operator's organizations", (it) => {
  it.effect("are listed page by page in process", () =>
    Effect.gen(function* () {
      const organizations = yield* Organizations
      yield* organizations.create({ name: "One" })
      yield* organizations.create({ name: "Two" })
      const first = yield* organizations.list({ limit: 1 })
      const second = yield* organizations.list(untrusted({ limit: 1, cursor: first.next }))
      expect([...first.results, ...second.results].map(({ name }) => name)).toEqual(["Two", "One"])
    })
  )
})
