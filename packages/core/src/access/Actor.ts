import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { MAX_ID, OrganizationId, type UserId } from "../kernel/Ids.js"
import type { CredentialKind } from "./Credential.js"
import { allPermissions, type Permission } from "./Permission.js"

export const ResourceType = Schema.Literal("project", "agent", "dashboard", "result")

/**
 * A resource that a session or link may be bound to, and with it what lies in it: a project's agents, an agent's calls,
 * a dashboard's widgets, a result's runs.
 */
export const ResourceScope = Schema.Struct({
  type: ResourceType,
  id: Schema.Int.pipe(Schema.between(1, MAX_ID))
})
export type ResourceScope = typeof ResourceScope.Type

/** Who calls: one organisation, by one credential, with what it may do and where. */
export interface Actor {
  readonly organizationId: OrganizationId
  /** The person behind the credential, where there is one. */
  readonly userId: UserId | null
  readonly credential: CredentialKind
  /** A session that came beside the credential, for operations that ask for one. */
  readonly additionalCredential?: "agent_session"
  /** Names the signed token, or the session beside the key, for revocation. */
  readonly jti?: string
  /** Names the credential in logs and for rate limits; never the secret itself. */
  readonly credentialId: string
  readonly permissions: ReadonlySet<Permission>
  /** The only resources within reach, or null for the whole organisation. */
  readonly bounds: ReadonlyArray<ResourceScope> | null
}

/**
 * The actor of the use case that runs.
 *
 * @effect-leakable-service
 */
export class CurrentActor extends Context.Tag("@earshot/core/access/CurrentActor")<CurrentActor, Actor>() {}

/**
 * The embedding process acting for one organisation: every permission, no bounds.
 *
 * @throws ParseError when that is no id, as from a caller without types: every use case would stumble over it later.
 */
export const hostActor = (organizationId: OrganizationId): Actor => ({
  organizationId: readOrganizationId(organizationId),
  userId: null,
  credential: "host",
  credentialId: "host",
  permissions: new Set(allPermissions),
  bounds: null
})

const readOrganizationId = Schema.validateSync(
  OrganizationId.annotations({
    message: () => ({ message: "hostActor takes the id of an organisation, a positive whole number.", override: true })
  })
)
