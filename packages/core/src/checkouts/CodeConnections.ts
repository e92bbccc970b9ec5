import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { NotFound } from "../access/AccessErrors.js"
import type { Permit } from "../access/Permit.js"
import { NO_SECRET_BOX, SecretBox } from "../access/SecretBox.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, fieldError, Messages, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { CodeConnectionId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { CheckoutReleases } from "./CheckoutReleases.js"
import { type CodeHostFailed, ConnectionRevoked } from "./CheckoutErrors.js"
import { type CodeConnection, CodeConnectionDraft } from "./CodeConnection.js"
import { CodeConnectionStore, type StoredConnection } from "./CodeConnectionStore.js"
import { CodeHosts } from "./CodeHost.js"
import { secretPurpose, unknownHost, Vault } from "./Vault.js"

/** The caller's organization's connections to code hosts. */
export class CodeConnections extends Context.Tag("@earshot/core/checkouts/CodeConnections")<
  CodeConnections,
  {
    /** `{host, name?, settings?, secret?}`. It is inactive, and its host is not called yet. */
    readonly create: UseCase<
      "connections.create",
      [input: Input<typeof CodeConnectionDraft>],
      CodeConnection,
      ValidationFailed | StorageError
    >
    readonly list: UseCase<
      "connections.list",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<CodeConnection>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"connections.read", [id: CodeConnectionId], CodeConnection, NotFound | StorageError>
    /** Tests it against its host; an error is in `testError` of the result. */
    readonly test: UseCase<
      "connections.test",
      [id: CodeConnectionId],
      CodeConnection,
      ConnectionRevoked | NotFound | StorageError
    >
    /** Tests it and, if the test succeeds, makes it the organization's active connection. */
    readonly activate: UseCase<
      "connections.activate",
      [id: CodeConnectionId],
      CodeConnection,
      CodeHostFailed | ConnectionRevoked | NotFound | StorageError
    >
    /**
     * Revokes it permanently. Its tokens are invalid at once at hosts that ask this engine, and are released at those
     * that do not; its secret is erased once that is done. Idempotent.
     */
    readonly revoke: UseCase<"connections.revoke", [id: CodeConnectionId], void, NotFound | StorageError>
  }
>() {}

/** Tokens that are not released by then are left to the job runner. */
const RELEASED_WITHIN = "20 seconds"

export const layer = Layer.effect(
  CodeConnections,
  Effect.gen(function* () {
    const store = yield* CodeConnectionStore
    const hosts = yield* CodeHosts
    const box = yield* SecretBox
    const vault = yield* Vault
    const releases = yield* CheckoutReleases
    const work = yield* UnitOfWork

    const orNotFound = <E, R>(found: Effect.Effect<Option.Option<StoredConnection>, E, R>) =>
      Effect.flatMap(
        found,
        Option.match({
          onNone: () => new NotFound({ resource: "CodeConnection" }),
          onSome: (stored) => Effect.succeed(stored)
        })
      )

    /** Tests a connection against its host and stores the error, or null. */
    const testConnection = (permit: Permit<"connections:manage">, id: CodeConnectionId) =>
      Effect.gen(function* () {
        const stored = yield* orNotFound(store.find(permit, id))
        if (stored.connection.state === "revoked") return yield* new ConnectionRevoked()
        const host = hosts.find((one) => one.kind === stored.connection.host)
        const failed = yield* host === undefined
          ? Effect.succeed(unknownHost(stored.connection.host))
          : Effect.flatMap(vault.open(stored), (open) =>
              host.test(open).pipe(
                Effect.as(null),
                Effect.catchTag("CodeHostFailed", (failure) => Effect.succeed(failure))
              )
            )
        yield* store.recordTest(permit, id, failed === null ? null : failed.reason, yield* DateTime.now)
        return failed
      })

    /** Releases tokens while the caller waits, up to a limit. */
    const releaseSoon = (permit: Permit<"connections:manage">) =>
      Effect.asVoid(Effect.timeoutOption(releases.releaseDue(permit.organizationId), RELEASED_WITHIN))

    const read = (permit: Permit<"connections:manage">, id: CodeConnectionId) =>
      Effect.map(orNotFound(store.find(permit, id)), ({ connection }) => connection)

    return CodeConnections.of({
      create: useCase("connections.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(CodeConnectionDraft, input)
          const host = hosts.find((one) => one.kind === draft.host)
          if (host === undefined) {
            const choices = hosts.map(({ kind }) => kind)
            return yield* new ValidationFailed({ errors: fieldError("host", Messages.notAChoice(draft.host, choices)) })
          }
          const { secret, settings } = yield* Either.mapLeft(
            host.read({
              settings: draft.settings,
              secret: draft.secret === undefined || draft.secret === null ? null : Redacted.make(draft.secret)
            }),
            (errors) => new ValidationFailed({ errors })
          )
          if (secret !== null && Option.isNone(box))
            return yield* new ValidationFailed({ errors: fieldError("secret", NO_SECRET_BOX) })
          return yield* store.insert(permit, {
            host: host.kind,
            name: draft.name,
            settings,
            sealed: Option.match(box, {
              onNone: () => null,
              onSome: (sealing) => (secret === null ? null : sealing.seal(secretPurpose(permit.organizationId), secret))
            }),
            createdAt: yield* DateTime.now
          })
        })
      ),
      list: useCase("connections.list")((permit, query) =>
        Pages.paginate(Pages.PageQuery, query, (page) => store.list(permit, page))
      ),
      read: useCase("connections.read")(read),
      // The host is called outside any transaction, since it may be slow.
      test: useCase("connections.test")((permit, id) => Effect.zipRight(testConnection(permit, id), read(permit, id))),
      activate: useCase("connections.activate")((permit, id) =>
        Effect.gen(function* () {
          const failed = yield* testConnection(permit, id)
          if (failed !== null) return yield* failed
          yield* work.atomically(
            Effect.gen(function* () {
              const { connection } = yield* orNotFound(store.findForUpdate(permit, id))
              if (connection.state === "revoked") return yield* new ConnectionRevoked()
              yield* store.activate(permit, id, yield* DateTime.now)
            })
          )
          yield* releaseSoon(permit)
          return yield* read(permit, id)
        })
      ),
      revoke: useCase("connections.revoke")((permit, id) =>
        work
          .atomically(
            Effect.gen(function* () {
              yield* orNotFound(store.findForUpdate(permit, id))
              yield* store.revoke(permit, id, yield* DateTime.now)
            })
          )
          .pipe(Effect.zipRight(releaseSoon(permit)))
      )
    })
  })
)
