import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { decodeInput, isFaulty, mergeFaults, ValidationFailed } from "../kernel/Faults.js"
import type { ShareableLinkId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { NotFound } from "./AccessErrors.js"
import { type Actor, CurrentActor } from "./Actor.js"
import { type ShareableLink, ShareableLinkDraft, type IssuedShareableLink } from "./ShareableLink.js"
import { ShareableLinkStore } from "./ShareableLinkStore.js"
import { BoundStore } from "./BoundStore.js"
import { absenceFaults, boundFaults, expiryFaults, permissionFaults, readsOf } from "./Grant.js"
import { makeOpaqueCredentials } from "./OpaqueCredentials.js"
import { mintSecret, SECRET_BYTES } from "./Secret.js"
import { SecretSource } from "./SecretSource.js"
import { type UseCase, useCase } from "./UseCase.js"

/** The shareable links of the caller's organisation. */
export class ShareableLinks extends Context.Tag("@earshot/core/access/ShareableLinks")<
  ShareableLinks,
  {
    /** Makes a link that reaches and may do no more than its maker; its secret is answered here and never again. */
    readonly create: UseCase<
      "access.createLink",
      [input: unknown],
      IssuedShareableLink,
      ValidationFailed | StorageFault
    >
    readonly list: UseCase<
      "access.listLinks",
      [query: unknown],
      Pages.Page<ShareableLink>,
      ValidationFailed | StorageFault
    >
    /** Refuses the link from now on; doing it again changes nothing. */
    readonly revoke: UseCase<"access.revokeLink", [id: ShareableLinkId], void, NotFound | StorageFault>
    /** The caller that a secret stands for, if its link is in force. */
    readonly authenticate: (secret: string) => Effect.Effect<Option.Option<Actor>, StorageFault>
  }
>() {}

const toActor = (link: ShareableLink): Actor => ({
  organizationId: link.organizationId,
  userId: null,
  credential: "shareable_link",
  credentialId: `shareable_link:${link.id}`,
  permissions: new Set(link.permissions),
  bounds: link.bounds
})

export const layer = Layer.effect(
  ShareableLinks,
  Effect.gen(function* () {
    const store = yield* ShareableLinkStore
    const things = yield* BoundStore
    const work = yield* UnitOfWork
    const source = yield* SecretSource
    const opaque = yield* makeOpaqueCredentials({ prefix: "earlink_", findByHash: store.findByHash, toActor })

    return ShareableLinks.of({
      authenticate: opaque.authenticate,
      create: useCase("access.createLink")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const issuer = yield* CurrentActor
            const draft = yield* decodeInput(ShareableLinkDraft, input)
            const now = yield* DateTime.now
            const permissions = draft.permissions ?? readsOf(issuer)
            const faults = mergeFaults(
              permissionFaults(issuer, "permissions", permissions),
              boundFaults(issuer, draft.bounds),
              absenceFaults(issuer, draft.bounds, yield* things.present(permit, draft.bounds)),
              expiryFaults("expires_at", draft.expires_at, now)
            )
            if (isFaulty(faults)) return yield* new ValidationFailed({ faults })
            const { hint, secret, secretHash } = mintSecret("earlink_", source.bytes(SECRET_BYTES))
            const link = yield* store.insert(permit, {
              name: draft.name,
              hint,
              secretHash,
              permissions,
              bounds: draft.bounds,
              createdAt: now,
              expiresAt: draft.expires_at
            })
            return { link, secret }
          })
        )
      ),
      list: useCase("access.listLinks")((permit, query) =>
        Effect.gen(function* () {
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, page)
          return Pages.pageOf(page, found, (link) => link.id)
        })
      ),
      revoke: useCase("access.revokeLink")((permit, id) =>
        work
          .atomically(
            Effect.gen(function* () {
              if (Option.isNone(yield* store.find(permit, id)))
                return yield* new NotFound({ resource: "ShareableLink" })
              yield* store.revoke(permit, id, yield* DateTime.now)
            })
          )
          .pipe(Effect.zipRight(opaque.forget(id)))
      )
    })
  })
)
