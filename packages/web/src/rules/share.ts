/** The address of a shared page, whose credential is in the fragment: browsers send that to no server. */

export type SharedWith = { readonly link: string } | { readonly token: string }

/** The credential in a fragment, `#link=earlink_...` or `#token=...`; undefined if there is none. */
export const sharedWith = (hash: string): SharedWith | undefined => {
  const given = new URLSearchParams(hash.replace(/^#/, ""))
  const link = given.get("link")
  const token = given.get("token")
  return link !== null && link !== "" ? { link } : token !== null && token !== "" ? { token } : undefined
}

/** The page of a dashboard for a link. */
export const shareAddress = (server: string, dashboard: number, link: string): string =>
  `${server}/app/share/${dashboard}#link=${encodeURIComponent(link)}`

/** The element of another site that shows the page. */
export const frameOf = (address: string): string =>
  `<iframe src="${address}" title="Dashboard" width="100%" height="800" referrerpolicy="no-referrer"></iframe>`

/** When a link ends that is to last some days; null for no end. */
export const expiryAfter = (days: number | null, now: number): string | null =>
  days === null ? null : new Date(now + days * 86_400_000).toISOString()
