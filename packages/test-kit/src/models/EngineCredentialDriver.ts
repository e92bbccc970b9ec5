import {
  type Actor,
  ApiKeyId,
  ApiKeys,
  Credentials,
  CurrentActor,
  DashboardId,
  Dashboards,
  type Engine,
  type Forbidden,
  type Operation,
  ShareableLinkId,
  ShareableLinks,
  type StorageError,
  Tokens,
  type Unauthenticated,
  type ValidationFailed,
  untrusted
} from "@earshot/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestEngine from "../TestEngine.js"
import type { Action, CredentialDriver, Issued, Made, ModelKind, Shown, Wanted } from "./CredentialRules.js"
import { draftOf, twoProjects, type TwoProjects } from "./HttpCredentialDriver.js"
import { engineDriver } from "./EngineDriver.js"

const operations: Readonly<Record<Action, Operation>> = {
  "list dashboards": "dashboards.list",
  "create a dashboard": "dashboards.create",
  "list calls": "calls.list",
  "ingest a call": "calls.ingest",
  "list keys": "access.listApiKeys",
  "read the first dashboard": "dashboards.read",
  "read the second dashboard": "dashboards.read"
}

const carried = (kind: ModelKind, secret: string) =>
  kind === "api_key" ? { apiKey: secret } : kind === "shareable_link" ? { shareableLink: secret } : { bearer: secret }

/** The lifetime of a credential with expiry `soon`, in seconds: less than the engine caches credentials. */
const SOON = 3

/** A clock that stands still until it is advanced. */
const standing =
  (now: () => number) =>
  (clock: Clock.Clock): Clock.Clock => ({
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: (duration) => clock.sleep(duration)
  })

/** An in-process engine and an actor with all permissions. The driver has a clock of its own. */
export const engineCredentialDriver = (
  runLive: <A>(steps: Effect.Effect<A, unknown, Engine.Services>) => Promise<A>,
  actor: Actor,
  project: number
): CredentialDriver => {
  const as = TestEngine.as(actor)
  let now = Date.now()
  const clock = standing(() => now)
  const run = <A>(steps: Effect.Effect<A, unknown, Engine.Services>): Promise<A> =>
    runLive(Effect.clockWith((live) => Effect.withClock(steps, clock(live))))
  let known: Promise<TwoProjects> | undefined
  const fixture = () => (known ??= twoProjects(engineDriver(run, actor), project))
  const made = (secret: Redacted.Redacted, name: Made["name"]): Made => ({ secret: Redacted.value(secret), name })
  const issue = (
    wanted: Wanted,
    draft: object
  ): Effect.Effect<
    Made,
    ValidationFailed | Unauthenticated | Forbidden | StorageError,
    ApiKeys | ShareableLinks | Tokens | CurrentActor
  > => {
    switch (wanted.kind) {
      case "api_key":
        return Effect.flatMap(ApiKeys, (keys) =>
          Effect.map(keys.create(untrusted(draft)), ({ key, secret }) => made(secret, key.id))
        )
      case "shareable_link":
        return Effect.flatMap(ShareableLinks, (links) =>
          Effect.map(links.create(untrusted(draft)), ({ link, secret }) => made(secret, link.id))
        )
      default:
        return Effect.flatMap(Tokens, (tokens) =>
          Effect.map(tokens.issue(untrusted(draft)), ({ jti, token }) => made(token, jti))
        )
    }
  }
  const issuing = (kind: ModelKind): Operation =>
    kind === "api_key" ? "access.createApiKey" : kind === "shareable_link" ? "access.createLink" : "access.issueToken"
  const issuerOf = (kind: ModelKind, issuer: Shown | undefined) =>
    issuer === undefined
      ? Effect.succeed(actor)
      : Effect.flatMap(Credentials, ({ admit }) => admit(issuing(kind), carried(issuer.kind, issuer.secret)))
  return {
    make: async (wanted, issuer) => {
      const draft = draftOf(wanted, await fixture(), now, SOON)
      return run(
        Effect.flatMap(issuerOf(wanted.kind, issuer), (caller) =>
          issue(wanted, draft).pipe(TestEngine.as(caller))
        ).pipe(
          Effect.map((one): Issued => one),
          Effect.catchTags({
            ValidationFailed: () => Effect.succeed<Issued>("refused"),
            Unauthenticated: () => Effect.succeed<Issued>("unauthenticated"),
            Forbidden: () => Effect.succeed<Issued>("forbidden")
          })
        )
      )
    },
    pass: () => {
      now += (SOON + 1) * 1000
      return Promise.resolve()
    },
    revoke: (kind, { name }) => {
      switch (kind) {
        case "api_key":
          return run(Effect.flatMap(ApiKeys, (keys) => as(keys.revoke(ApiKeyId.make(Number(name))))))
        case "shareable_link":
          return run(Effect.flatMap(ShareableLinks, (links) => as(links.revoke(ShareableLinkId.make(Number(name))))))
        default:
          return run(Effect.flatMap(Tokens, (tokens) => as(tokens.revoke({ jti: String(name) }))))
      }
    },
    attempt: async (kind, secret, action) => {
      const { dashboards } = await fixture()
      const read = (id: number) => Effect.flatMap(Dashboards, (all) => all.read(DashboardId.make(id)))
      const then =
        action === "read the first dashboard"
          ? read(dashboards[0])
          : action === "read the second dashboard"
            ? read(dashboards[1])
            : Effect.void
      return run(
        Effect.flatMap(Credentials, ({ admit }) =>
          Effect.flatMap(admit(operations[action], carried(kind, secret)), (caller) =>
            Effect.provideService(Effect.asVoid(then), CurrentActor, caller)
          ).pipe(
            Effect.as("accepted" as const),
            Effect.catchTags({
              Unauthenticated: () => Effect.succeed("unauthenticated" as const),
              Forbidden: () => Effect.succeed("forbidden" as const),
              NotFound: () => Effect.succeed("missing" as const)
            })
          )
        )
      )
    }
  }
}
