import * as Context from "effect/Context"
import type { OrganizationId, UserId } from "../kernel/Ids.js"
import type { CredentialKind } from "./Credential.js"
import { allPermissions, type Permission } from "./Permission.js"

/** A resource that a session or link may be bound to. */
export interface Bound {
  readonly type: "project" | "agent" | "dashboard" | "result"
  readonly id: number
}

/** Who calls: one organisation, by one credential, with what it may do and where. */
export interface Actor {
  readonly organizationId: OrganizationId
  /** The person behind the credential, where there is one. */
  readonly userId: UserId | null
  readonly credential: CredentialKind
  /** Names the credential in logs and for rate limits; never the secret itself. */
  readonly credentialId: string
  readonly permissions: ReadonlySet<Permission>
  /** The only resources within reach, or null for the whole organisation. */
  readonly bounds: ReadonlyArray<Bound> | null
}

/** The actor of the use case that runs. */
export class CurrentActor extends Context.Tag("@earshot/core/access/CurrentActor")<CurrentActor, Actor>() {}

/** The embedding process acting for one organisation: every permission, no bounds. */
export const hostActor = (organizationId: OrganizationId): Actor => ({
  organizationId,
  userId: null,
  credential: "host",
  credentialId: "host",
  permissions: new Set(allPermissions),
  bounds: null
})
