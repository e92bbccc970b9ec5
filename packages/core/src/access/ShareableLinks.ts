import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { decodeInput, hasFieldErrors, mergeFieldErrors, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { ShareableLinkId } from "../kernel/Ids.js"
import type * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { NotFound } from "./AccessErrors.js"
import { type Actor, CurrentActor } from "./Actor.js"
import {
  expiryErrors,
  missingResourceErrors,
  permissionErrors,
  readPermissionsOf,
  resourceScopeErrors
} from "./Grant.js"
import type { IsSuspect } from "./RateLimiter.js"
import { ResourceScopeStore } from "./ResourceScopeStore.js"
import { makeSecretCredentials } from "./SecretCredentials.js"
import { type IssuedShareableLink, type ShareableLink, ShareableLinkDraft } from "./ShareableLink.js"
import { ShareableLinkStore } from "./ShareableLinkStore.js"
import { type UseCase, useCase } from "./UseCase.js"

/** The shareable links of the caller's organization. */
export class ShareableLinks extends Context.Tag("@earshot/core/access/ShareableLinks")<
  ShareableLinks,
  {
    /**
     * Creates a link with at most the caller's permissions and resource scopes. The answer is the only one that holds the
     * secret.
     */
    readonly create: UseCase<
      "access.createLink",
      [input: Input<typeof ShareableLinkDraft>],
      IssuedShareableLink,
      ValidationFailed | StorageError
    >
    readonly list: UseCase<
      "access.listLinks",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<ShareableLink>,
      ValidationFailed | StorageError
    >
    /** Revokes a link; revoking it again changes nothing. */
    readonly revoke: UseCase<"access.revokeLink", [id: ShareableLinkId], void, NotFound | StorageError>
    /** The caller that a secret stands for, if its link is in force. */
    readonly authenticate: (secret: string, isSuspect: IsSuspect) => Effect.Effect<Option.Option<Actor>, StorageError>
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
    const resources = yield* ResourceScopeStore
    const work = yield* UnitOfWork
    const credentials = yield* makeSecretCredentials({ prefix: "earlink_", resource: "ShareableLink", store, toActor })

    return ShareableLinks.of({
      authenticate: credentials.authenticate,
      create: useCase("access.createLink")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const issuer = yield* CurrentActor
            const draft = yield* decodeInput(ShareableLinkDraft, input)
            const now = yield* DateTime.now
            const permissions = draft.permissions ?? readPermissionsOf(issuer)
            const errors = mergeFieldErrors(
              permissionErrors(issuer, "permissions", permissions),
              resourceScopeErrors(issuer, draft.bounds),
              missingResourceErrors(issuer, draft.bounds, yield* resources.present(permit, draft.bounds)),
              expiryErrors("expires_at", draft.expires_at, now)
            )
            if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
            const { credential, secret } = yield* credentials.issue(permit, (minted) => ({
              ...minted,
              name: draft.name,
              permissions,
              bounds: draft.bounds,
              createdAt: now,
              expiresAt: draft.expires_at
            }))
            return { link: credential, secret }
          })
        )
      ),
      list: useCase("access.listLinks")(credentials.list),
      revoke: useCase("access.revokeLink")(credentials.revoke)
    })
  })
)
