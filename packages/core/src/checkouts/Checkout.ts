import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"

/** Seconds that a checkout credential lives at most. */
export const CHECKOUT_SECONDS = 3_600

/** What asks for a checkout: `{repo}`, the repository's short name. Source: interface, E2. */
export const CheckoutDraft = Fields.object({ repo: Fields.text({ max: 1000, blank: false }) })

/** A key to one repository, to read it: the only time that it is there to be shown. */
export interface Checkout {
  readonly repo: string
  /** With its owner: `harbor/web`. */
  readonly fullName: string
  /** Without any credential in it. */
  readonly cloneUrl: string
  /** Null where the repository has none. */
  readonly defaultBranch: string | null
  /** What goes with the token where HTTP's Basic scheme asks for a name. */
  readonly username: string
  readonly token: Redacted.Redacted
  /** From this instant on the token is refused. */
  readonly expiresAt: DateTime.Utc
}

/** The wire form of a checkout. Source: design, where the interface is silent, E2. */
export const CheckoutWire = Schema.Struct({
  repo: Schema.String,
  full_name: Schema.String,
  clone_url: Schema.String,
  default_branch: Schema.NullOr(Schema.String),
  username: Schema.String,
  token: Schema.String,
  expires_at: Schema.DateTimeUtc,
  permissions: Schema.Struct({ contents: Schema.Literal("read") })
})

export const encodeCheckout = (checkout: Checkout): typeof CheckoutWire.Encoded => ({
  repo: checkout.repo,
  full_name: checkout.fullName,
  clone_url: checkout.cloneUrl,
  default_branch: checkout.defaultBranch,
  username: checkout.username,
  token: Redacted.value(checkout.token),
  expires_at: DateTime.formatIso(checkout.expiresAt),
  permissions: { contents: "read" }
})
