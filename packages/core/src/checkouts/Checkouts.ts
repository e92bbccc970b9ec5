import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { NotFound, Unauthenticated } from "../access/AccessErrors.js"
import { type Actor, CurrentActor } from "../access/Actor.js"
import type { Permit } from "../access/Permit.js"
import { hashSecret } from "../access/Secret.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, type ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import { AgentId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type Checkout, CheckoutDraft } from "./Checkout.js"
import { type CodeHostFailed, NoActiveConnection } from "./CheckoutErrors.js"
import { CheckoutGrantStore } from "./CheckoutGrantStore.js"
import { CheckoutReleases, type Released } from "./CheckoutReleases.js"
import { CodeConnectionStore } from "./CodeConnectionStore.js"
import { type CodeHost, CodeHosts, type HostCheckout, type OpenConnection } from "./CodeHost.js"
import { parseRepositoryName, type RepositoryName } from "./RepositoryName.js"
import { unknownHost, Vault } from "./Vault.js"

/** Short-lived tokens for one repository each. */
export class Checkouts extends Context.Tag("@earshot/core/checkouts/Checkouts")<
  Checkouts,
  {
    /**
     * E2: `{repo}`. Nothing is cached: every request reads the connection and calls its host.
     * The token is returned here and never again.
     */
    readonly create: UseCase<
      "checkouts.create",
      [input: Input<typeof CheckoutDraft>],
      Checkout,
      ValidationFailed | NotFound | NoActiveConnection | CodeHostFailed | StorageError
    >
    /**
     * Releases due tokens now, rather than at the job runner's next pass. An operator function: no actor is checked.
     */
    readonly releaseDue: Effect.Effect<Released, StorageError>
  }
>() {}

const noSuch = () => new NotFound({ resource: "Repository" })

/** The agent that a session is bound to; none for the host process, which needs no session. */
const agentOf = (actor: Actor): AgentId | null => {
  const bound =
    actor.additionalCredential === undefined ? undefined : actor.bounds?.find(({ type }) => type === "agent")
  return bound === undefined ? null : AgentId.make(bound.id)
}

export const layer = Layer.effect(
  Checkouts,
  Effect.gen(function* () {
    const connections = yield* CodeConnectionStore
    const grants = yield* CheckoutGrantStore
    const hosts = yield* CodeHosts
    const vault = yield* Vault
    const releases = yield* CheckoutReleases
    const work = yield* UnitOfWork

    const activeConnection = (permit: Permit<"checkouts:create">) =>
      Effect.flatMap(
        connections.findActive(permit),
        Option.match({ onNone: () => new NoActiveConnection(), onSome: (stored) => Effect.succeed(stored) })
      )

    const release = (host: CodeHost, open: OpenConnection, { handle }: HostCheckout) =>
      handle === null ? Effect.void : Effect.ignore(host.release(open, handle))

    const create = (permit: Permit<"checkouts:create">, repository: RepositoryName) =>
      Effect.gen(function* () {
        const actor = yield* CurrentActor
        const stored = yield* activeConnection(permit)
        const { connection } = stored
        const host = hosts.find((one) => one.kind === connection.host)
        if (host === undefined) return yield* unknownHost(connection.host)
        const open = yield* vault.open(stored)
        // Once the host has issued a token, it is either stored and returned, or released, whatever happens.
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(host.issue(open, repository)), (issued) =>
            Effect.gen(function* () {
              const kept = yield* work.atomically(
                grants.insert(permit, {
                  connectionId: connection.id,
                  repository,
                  agentId: agentOf(actor),
                  sessionJti: actor.additionalCredential === undefined ? null : (actor.jti ?? null),
                  tokenHash: hashSecret(Redacted.value(issued.token)),
                  sealedHandle:
                    issued.handle === null ? null : yield* vault.sealHandle(permit.organizationId, issued.handle),
                  createdAt: yield* DateTime.now,
                  expiresAt: issued.expiresAt,
                  lapsesAt: issued.lapsesAt
                })
              )
              if (kept) return issued
              // Meanwhile the connection was replaced, the session revoked or the agent deleted.
              const current = yield* activeConnection(permit)
              return yield* current.connection.id === connection.id
                ? new Unauthenticated({ reason: "Invalid credentials." })
                : new NoActiveConnection()
            }).pipe(Effect.onError(() => release(host, open, issued)))
          )
        )
      }).pipe(Effect.catchTag("RepositoryUnavailable", noSuch))

    return Checkouts.of({
      create: useCase("checkouts.create")((permit, input) =>
        Effect.gen(function* () {
          const { repo } = yield* decodeInput(CheckoutDraft, input)
          const name = parseRepositoryName(repo)
          if (Option.isSome(name)) return yield* create(permit, name.value)
          yield* activeConnection(permit)
          return yield* noSuch()
        })
      ),
      releaseDue: releases.releaseDue()
    })
  })
)
