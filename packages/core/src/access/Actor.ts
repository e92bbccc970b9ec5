import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { MAX_ID, OrganizationId, type UserId } from "../kernel/Ids.js"
import type { CredentialKind } from "./Credential.js"
import { allPermissions, type Permission } from "./Permission.js"

export const ResourceType = Schema.Literal("project", "agent", "dashboard", "result")

/**
 * A resource that a session or link can be limited to, with what lies in it: a project's agents, an agent's calls,
 * a dashboard's widgets, a result's runs.
 */
export const ResourceScope = Schema.Struct({
  type: ResourceType,
  id: Schema.Int.pipe(Schema.between(1, MAX_ID))
})
export type ResourceScope = typeof ResourceScope.Type

/** The caller: one organization, one credential, its permissions and its resource scopes. */
export interface Actor {
  readonly organizationId: OrganizationId
  /** The person behind the credential, where there is one. */
  readonly userId: UserId | null
  readonly credential: CredentialKind
  /** A session in addition to the credential, for operations that require one. */
  readonly additionalCredential?: "agent_session"
  /** The id of the signed token, or of the session in addition to the key, for revocation. */
  readonly jti?: string
  /** Identifies the credential in logs and for rate limits; never the secret itself. */
  readonly credentialId: string
  readonly permissions: ReadonlySet<Permission>
  /** The resource scopes of the credential (`bounds` in the API), or null for the whole organization. */
  readonly bounds: ReadonlyArray<ResourceScope> | null
}

/**
 * The actor of the use case that runs.
 *
 * @effect-leakable-service
 */
export class CurrentActor extends Context.Tag("@earshot/core/access/CurrentActor")<CurrentActor, Actor>() {}

/**
 * The embedding process acting for one organization: every permission, no resource scopes.
 *
 * @throws ParseError if it is not an id, as from a caller without types: otherwise every use case would fail later.
 */
export const hostActor = (organizationId: number): Actor => ({
  organizationId: readOrganizationId(organizationId),
  userId: null,
  credential: "host",
  credentialId: "host",
  permissions: new Set(allPermissions),
  bounds: null
})

const readOrganizationId = Schema.validateSync(
  OrganizationId.annotations({
    message: () => ({ message: "hostActor takes the id of an organization, a positive integer.", override: true })
  })
)
