/** When credentials end. */
import { expiryAfter } from "./share.js"

export type Expiry = "1" | "7" | "30" | "90" | "365" | "never"

export const EXPIRIES: ReadonlyArray<readonly [Expiry, string]> = [
  ["1", "In a day"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["never", "Never"]
]

/** The time of an expiry as ISO 8601, null for never. */
export const expiryOf = (expiry: Expiry, now: Date): string | null =>
  expiryAfter(expiry === "never" ? null : Number(expiry), now.getTime())

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
