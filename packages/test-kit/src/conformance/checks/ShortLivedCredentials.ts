import { type CredentialKind, type Fixture, PATHS } from "../Fixture.js"
import type { Reply } from "../Client.js"
import { bodyOf } from "../Expect.js"

/** Times that what was revoked is presented, each over a connection of its own: several processes take turns. */
export const PRESENTATIONS = 10

/** A credential of a kind, how it is presented, and the request that ends it. */
interface ShortLived {
  readonly kind: CredentialKind
  readonly headers: Readonly<Record<string, string>>
  /** When it ends by itself. */
  readonly expiresAt: unknown
  readonly revoke: () => Promise<Reply>
}

/** One of each kind, for so many seconds where told. */
export const shortLivedCredentials = async (fixture: Fixture, seconds?: number): Promise<ReadonlyArray<ShortLived>> => {
  const [project, agent] = [await fixture.project(), await fixture.agent()]
  const bounds = [{ type: "project", id: project }]
  const ends = seconds === undefined ? {} : { expires_at: new Date(Date.now() + seconds * 1000).toISOString() }
  const token = async (kind: CredentialKind, fields: object): Promise<ShortLived> => {
    const ttl = seconds === undefined ? {} : { ttl: seconds }
    const issued = bodyOf(await fixture.post(PATHS.tokens, { kind, ...ttl, ...fields }), 201)
    return {
      kind,
      headers: { authorization: `Bearer ${String(issued.token)}` },
      expiresAt: issued.expires_at,
      revoke: () => fixture.post(`${PATHS.tokens}revoke/`, { jti: issued.jti })
    }
  }
  const key = await fixture.make(PATHS.keys, { name: "Brief", ...ends })
  const link = await fixture.make(PATHS.links, { name: "Brief", bounds, ...ends })
  return [
    {
      kind: "api_key",
      headers: { "x-service-api-key": String(key.api_key) },
      expiresAt: key.expires_at,
      revoke: () => fixture.ask("DELETE", `${PATHS.keys}${String(key.id)}/`)
    },
    {
      kind: "shareable_link",
      headers: { "x-shareable-link": String(link.token) },
      expiresAt: link.expires_at,
      revoke: () => fixture.ask("DELETE", `${PATHS.links}${String(link.id)}/`)
    },
    await token("oauth2", {}),
    await token("dashboard_session", {}),
    await token("embedded_session", { bounds }),
    await token("agent_session", { bounds: [{ type: "agent", id: agent }] })
  ]
}

/** Asks for what the kind is let in for: a list, or with an agent's session, beside a good key, a checkout of nothing. */
export const present = async (fixture: Fixture, { headers, kind }: ShortLived): Promise<Reply> => {
  const request = { key: null, ownConnection: true }
  if (kind !== "agent_session") return fixture.get(PATHS.dashboards, { ...request, headers })
  return fixture.post(
    PATHS.checkout,
    {},
    { ...request, headers: { ...(await fixture.credential("api_key")), ...headers } }
  )
}

/** What is answered to one who is let in: an empty checkout is a fault of its body. */
export const acceptedStatus = ({ kind }: ShortLived): number => (kind === "agent_session" ? 400 : 200)
