import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type NotFound, type RateLimited, Unauthenticated } from "../access/AccessErrors.js"
import { orNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { RateLimiter } from "../access/RateLimiter.js"
import { NO_SECRET_BOX, type Sealing, SecretBox } from "../access/SecretBox.js"
import { SecretSource } from "../access/SecretSource.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { Projects } from "../catalog/Projects.js"
import { decodeInput, fieldError, type FieldErrors, Messages, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { AgentId, IntegrationId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import { makeLookupBatch, SUSPECTS } from "../kernel/LookupBatch.js"
import * as Pages from "../kernel/Pages.js"
import { StorageFailed, type StorageError, UnitOfWork } from "../kernel/Storage.js"
import * as TtlCache from "../kernel/TtlCache.js"
import { Metrics } from "../metrics/Metrics.js"
import {
  Integration,
  IntegrationDraft,
  IntegrationPatch,
  type IssuedIntegration,
  secretError,
  SecretRotation
} from "./Integration.js"
import { secretPurpose } from "./IntegrationSecrets.js"
import { IntegrationStore, type StoredIntegration } from "./IntegrationStore.js"
import { type Platform, platformNamed, platformNames } from "./Platform.js"
import { printStandardSecret, type SignedRequest, validSignature, type ValidSignature } from "./Signature.js"

/** A request whose signature is valid. */
export interface VerifiedHook {
  readonly integration: Integration
  readonly signature: ValidSignature
  /** The same request was accepted before. */
  readonly isRepeated: boolean
}

/** Integrations of the caller's organization. Inputs are unvalidated. */
export class Integrations extends Context.Tag("@earshot/core/platforms/Integrations")<
  Integrations,
  {
    /** `{platform, agent? or project?, name?, secret?, redact_fields?, metric_ids?}`. A secret that is made is returned once. */
    readonly create: UseCase<
      "integrations.create",
      [input: Input<typeof IntegrationDraft>],
      IssuedIntegration,
      ValidationFailed | StorageError
    >
    readonly list: UseCase<
      "integrations.list",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<Integration>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"integrations.read", [id: IntegrationId], Integration, NotFound | StorageError>
    /** `{name?, redact_fields?, metric_ids?}` */
    readonly update: UseCase<
      "integrations.update",
      [id: IntegrationId, input: Input<typeof IntegrationPatch>],
      Integration,
      ValidationFailed | NotFound | StorageError
    >
    /** `{secret?, previous_valid_seconds?}`. Both secrets are valid for that time. */
    readonly rotate: UseCase<
      "integrations.rotate",
      [id: IntegrationId, input: Input<typeof SecretRotation>],
      IssuedIntegration,
      ValidationFailed | NotFound | StorageError
    >
    /** Deletes it for good; its address is invalid at once. Its calls are kept. */
    readonly delete: UseCase<"integrations.delete", [id: IntegrationId], void, NotFound | StorageError>
    /**
     * Verifies a request to the address with this public id. An unknown address and an invalid signature are refused alike. A
     * request that was accepted before is not to be processed again. No actor is checked: the signature is the credential.
     *
     * @param from the address that the request comes from, by which refusals are limited: of one that has sent many invalid
     *   signatures, lookups of addresses are collected for 100 ms
     */
    readonly verify: (
      publicId: string,
      request: SignedRequest,
      from?: string
    ) => Effect.Effect<VerifiedHook, Unauthenticated | RateLimited | StorageError>
    /** Remembers the signature of a request that was processed, so that it is not processed again. */
    readonly accepted: (hook: VerifiedHook) => Effect.Effect<void, StorageError>
    /** Requests that were refused since the process started. */
    readonly refusals: () => number
    /** Forgets signatures that have expired. For the periodic task. */
    readonly purge: Effect.Effect<void, StorageError>
  }
>() {}

const NO_SECRET_KEY = fieldError("secret", NO_SECRET_BOX)

/** The platforms whose secret is the platform's own: nobody else can make it. */
const GIVEN_SECRETS: ReadonlySet<Platform> = new Set<Platform>(["provider_b", "provider_f"])

/** Bytes of a public id, which is no secret but must not be guessed either. */
const PUBLIC_ID_BYTES = 20
const PUBLIC_ID = /^[\w-]{27}$/

const CACHED = 1_000

/** An integration with its opened secrets; undefined for an address that does not exist. */
interface Opened {
  readonly publicId: string
  readonly found:
    { readonly integration: Integration; readonly secret: string; readonly previous: string | null } | undefined
}

const invalid = (errors: FieldErrors) => new ValidationFailed({ errors })

const invalidSignature = new Unauthenticated({ reason: "Invalid signature." })

export const layer = Layer.effect(
  Integrations,
  Effect.gen(function* () {
    const store = yield* IntegrationStore
    const agents = yield* Agents
    const projects = yield* Projects
    const metrics = yield* Metrics
    const box = yield* SecretBox
    const limiter = yield* RateLimiter
    const random = yield* SecretSource
    const work = yield* UnitOfWork
    // Two caches, so that addresses that do not exist evict none that do.
    const known = yield* TtlCache.make<Opened>(CACHED)
    const unknown = yield* TtlCache.make<Opened>(CACHED)
    let refusals = 0

    const find = (permit: Permit<"integrations:manage">, id: IntegrationId) =>
      orNotFound("Integration")(store.find(permit, id))

    const invalidate = (publicId: string) => known.invalidate((opened) => opened.publicId === publicId)

    const sealing: Effect.Effect<Sealing, ValidationFailed> = Option.match(box, {
      onNone: () => Effect.fail(invalid(NO_SECRET_KEY)),
      onSome: (one) => Effect.succeed(one)
    })

    /** The secret to store, and the one to return if it was made here. */
    const secretOf = (platform: Platform, given: string | null | undefined) =>
      Effect.gen(function* () {
        if (given !== null && given !== undefined) {
          const error = secretError(given)
          if (error !== undefined) return yield* invalid(fieldError("secret", error))
          return { secret: given, issued: null }
        }
        if (GIVEN_SECRETS.has(platform)) {
          return yield* invalid(
            fieldError("secret", "This field is required: the platform signs with a secret of its own.")
          )
        }
        const made = printStandardSecret(random.bytes(32))
        return { secret: made, issued: made }
      })

    const checkMetrics = (permit: Permit, agentId: AgentId | null, ids: ReadonlyArray<MetricId>) =>
      Effect.gen(function* () {
        if (ids.length === 0) return
        if (agentId === null) {
          return yield* invalid(
            fieldError("metric_ids", "Metrics belong to agents: create an integration of an agent.")
          )
        }
        const all = new Set((yield* metrics.ofAgent(permit, agentId)).map(({ id }) => id))
        const missing = ids.filter((id) => !all.has(id))
        if (missing.length > 0) {
          return yield* invalid(fieldError("metric_ids", ...missing.map((id) => Messages.unknownId(id))))
        }
      })

    /** The project, and the agent if the input names one. */
    const placeOf = (permit: Permit, agent: AgentId | null, project: ProjectId | null) =>
      Effect.gen(function* () {
        if (agent === null && project === null) {
          return yield* invalid({
            agent: ["This field is required if project is not provided."],
            project: ["This field is required if agent is not provided."]
          })
        }
        if (agent === null && project !== null) {
          const found = yield* projects.findNamed(permit, "project", project)
          return { projectId: found.id, agentId: null }
        }
        const found = yield* agents.resolve(permit, { agent })
        if (project !== null && project !== found.projectId) {
          return yield* invalid(fieldError("project", "The agent is of another project."))
        }
        return { projectId: found.projectId, agentId: found.id }
      })

    const open = (organizationId: OrganizationId, sealed: string): Effect.Effect<string, StorageFailed> =>
      Option.match(
        Option.flatMap(box, (one) => one.open(secretPurpose(organizationId), sealed)),
        {
          onNone: () => Effect.fail(new StorageFailed({ operation: "SecretBox.open", cause: "no key opens it" })),
          onSome: (secret) => Effect.succeed(Redacted.value(secret))
        }
      )

    const openStored = ({ integration, sealedPrevious, sealedSecret }: StoredIntegration) =>
      Effect.gen(function* () {
        const secret = yield* open(integration.organizationId, sealedSecret)
        const previous = sealedPrevious === null ? null : yield* open(integration.organizationId, sealedPrevious)
        return { integration, secret, previous }
      })

    const findAll = (publicIds: ReadonlyArray<string>) =>
      Effect.map(
        store.findByPublicIds(publicIds),
        (all) => new Map(all.map((stored) => [stored.integration.publicId, stored]))
      )

    /** Lookups for senders of many invalid signatures share statements and wait for them, so that they cost little. */
    const findForSuspect = makeLookupBatch({ ...SUSPECTS, find: findAll })
    const findWithOthers = makeLookupBatch({ ...SUSPECTS, window: 0, find: findAll })

    const lookUp = (publicId: string, now: number, from: string | undefined): Effect.Effect<Opened, StorageError> => {
      const cached = known.get(publicId, now) ?? unknown.get(publicId, now)
      if (cached !== undefined) return Effect.succeed(cached)
      const isSuspect = limiter.isSuspect(from === undefined ? [] : [from], now)
      const lookup = Effect.flatMap(
        (isSuspect ? findForSuspect : findWithOthers)(publicId),
        Option.match({
          onNone: () => Effect.succeed<Opened>({ publicId, found: undefined }),
          onSome: (stored) => Effect.map(openStored(stored), (found): Opened => ({ publicId, found }))
        })
      )
      return known.load(
        unknown.load(lookup, (opened) => (opened.found === undefined ? [[publicId, opened]] : [])),
        (opened) => (opened.found === undefined ? [] : [[publicId, opened]])
      )
    }

    const refuse = (from: string | undefined): Effect.Effect<never, Unauthenticated | RateLimited | StorageError> =>
      Effect.suspend(() => {
        refusals += 1
        return Effect.zipRight(limiter.refuse(from === undefined ? [] : [from]), invalidSignature)
      })

    const verify = (publicId: string, request: SignedRequest, from: string | undefined) =>
      Effect.gen(function* () {
        if (!PUBLIC_ID.test(publicId)) return yield* refuse(from)
        const now = (yield* DateTime.now).epochMillis
        const { found } = yield* lookUp(publicId, now, from)
        if (found === undefined) return yield* refuse(from)
        const { integration, previous, secret } = found
        const until = integration.previousSecretUntil?.epochMillis ?? 0
        const secrets = previous !== null && now < until ? [secret, previous] : [secret]
        const signature = validSignature(integration.platform, secrets, request, now)
        if (signature === undefined) return yield* refuse(from)
        const { replay } = signature
        const isRepeated = replay !== undefined && (yield* store.wasReceived(integration.id, replay.key))
        return { integration, signature, isRepeated }
      })

    return Integrations.of({
      create: useCase("integrations.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(IntegrationDraft, input)
          const platform = platformNamed(draft.platform)
          if (platform === undefined)
            return yield* invalid(fieldError("platform", Messages.notAChoice(draft.platform, platformNames)))
          const { agentId, projectId } = yield* placeOf(permit, draft.agent ?? null, draft.project ?? null)
          yield* checkMetrics(permit, agentId, draft.metric_ids)
          const one = yield* sealing
          const { issued, secret } = yield* secretOf(platform, draft.secret)
          const publicId = Buffer.from(random.bytes(PUBLIC_ID_BYTES)).toString("base64url")
          const integration = yield* store.insert(
            permit,
            {
              platform,
              name: draft.name,
              publicId,
              projectId,
              agentId,
              sealedSecret: one.seal(secretPurpose(permit.organizationId), Redacted.make(secret)),
              redactFields: [...new Set(draft.redact_fields)],
              metricIds: draft.metric_ids
            },
            yield* DateTime.now
          )
          return { integration, secret: issued }
        })
      ),
      list: useCase("integrations.list")((permit, query) =>
        Pages.paginate(Pages.PageQuery, query, (page) => store.list(permit, page))
      ),
      read: useCase("integrations.read")((permit, id) =>
        Effect.map(find(permit, id), ({ integration }) => integration)
      ),
      update: useCase("integrations.update")((permit, id, input) =>
        Effect.gen(function* () {
          const changed = yield* work.atomically(
            Effect.gen(function* () {
              const stored = yield* orNotFound("Integration")(store.findForUpdate(permit, id))
              const patch = yield* decodeInput(IntegrationPatch, input)
              const { integration } = stored
              yield* checkMetrics(permit, integration.agentId, patch.metric_ids ?? [])
              const next = new Integration({
                ...integration,
                name: patch.name ?? integration.name,
                redactFields: patch.redact_fields ?? integration.redactFields,
                metricIds: patch.metric_ids ?? integration.metricIds,
                updatedAt: yield* DateTime.now
              })
              yield* store.save(permit, { ...stored, integration: next })
              return next
            })
          )
          yield* invalidate(changed.publicId)
          return changed
        })
      ),
      rotate: useCase("integrations.rotate")((permit, id, input) =>
        Effect.gen(function* () {
          const issued = yield* work.atomically(
            Effect.gen(function* () {
              const stored = yield* orNotFound("Integration")(store.findForUpdate(permit, id))
              const rotation = yield* decodeInput(SecretRotation, input)
              const one = yield* sealing
              const { integration } = stored
              const made = yield* secretOf(integration.platform, rotation.secret)
              const now = yield* DateTime.now
              const overlap = rotation.previous_valid_seconds
              const next = new Integration({
                ...integration,
                previousSecretUntil: overlap === 0 ? null : DateTime.add(now, { seconds: overlap }),
                updatedAt: now
              })
              yield* store.save(permit, {
                integration: next,
                sealedSecret: one.seal(secretPurpose(permit.organizationId), Redacted.make(made.secret)),
                sealedPrevious: overlap === 0 ? null : stored.sealedSecret
              })
              return { integration: next, secret: made.issued }
            })
          )
          yield* invalidate(issued.integration.publicId)
          return issued
        })
      ),
      delete: useCase("integrations.delete")((permit, id) =>
        Effect.gen(function* () {
          const { integration } = yield* find(permit, id)
          yield* store.remove(permit, id)
          yield* invalidate(integration.publicId)
        })
      ),
      verify: (publicId, request, from) => verify(publicId, request, from),
      accepted: ({ integration, signature: { replay } }) =>
        replay === undefined ? Effect.void : store.recordReceived(integration.id, replay.key, replay.expiresAt),
      refusals: () => refusals,
      purge: Effect.flatMap(DateTime.now, store.purgeReceived)
    })
  })
)
