/** When credentials end, and addresses that hold one. */

export type Expiry = "1" | "7" | "30" | "90" | "365" | "never"

export const EXPIRIES: ReadonlyArray<readonly [Expiry, string]> = [
  ["1", "In a day"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["never", "Never"]
]

const DAY_MILLIS = 86_400_000

/** The time of an expiry as ISO 8601, null for never. */
export const expiryOf = (expiry: Expiry, now: Date): string | null =>
  expiry === "never" ? null : new Date(now.getTime() + Number(expiry) * DAY_MILLIS).toISOString()

/** Whether a credential is in force. */
export const stateOf = (
  credential: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: Date
): "active" | "expired" | "revoked" =>
  credential.revoked_at !== null
    ? "revoked"
    : credential.expires_at !== null && new Date(credential.expires_at) <= now
      ? "expired"
      : "active"

/**
 * The address that opens a dashboard with a shareable link. The secret is in the fragment, which browsers send to no server.
 * `base` is origin and base path of the server.
 */
export const shareAddress = (base: string, dashboard: number, token: string): string =>
  `${base}/app/share/${dashboard}#link=${token}`
