/** What keys, links and tokens have in common. */

/** Appended to the message of a revocation: servers cache credentials, see docs/access.md. */
export const REVOCATION_DELAY = " Running servers refuse it within 5 seconds."

interface Stored {
  readonly revoked_at: string | null
  readonly expires_at: string | null
}

/** The state of a credential at an instant in milliseconds. */
export const stateAt =
  (now: number) =>
  ({ expires_at: expires, revoked_at: revoked }: Stored): string =>
    revoked !== null ? "revoked" : expires !== null && Date.parse(expires) <= now ? "expired" : "active"
