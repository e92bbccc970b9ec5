/** Injected faults of credentials and tenants. */
import type { Interception, ProxiedRequest, ProxiedResponse } from "../FaultyProxy.js"
import { isTo, withHeaders, type InjectedFault } from "./changes.js"
import { BULK_DELETE, BULK_UPDATE, OBSERVE } from "../paths.js"

const credentialOf = ({ headers }: ProxiedRequest): string =>
  [headers["x-service-api-key"], headers.authorization, headers["x-shareable-link"]].join(" ")

const isRevoking = ({ method, path }: ProxiedRequest): boolean =>
  (method === "DELETE" && path.startsWith("/user/v1/")) || path === "/user/v1/tokens/revoke/"

/** Refuses every wrong credential once, and lets it in from then on. */
export const rejectOnce = (): Interception => {
  const rejected = new Set<string>()
  return {
    response: (answer, asked) => {
      if (answer.status !== 401) return answer
      const isKnown = rejected.has(credentialOf(asked))
      rejected.add(credentialOf(asked))
      return isKnown ? { ...answer, status: 200 } : answer
    }
  }
}

/** Lets in for so long what was revoked. */
export const acceptRevokedFor = (milliseconds: number): Interception => {
  let until = 0
  return {
    response: (answer, asked) => {
      if (isRevoking(asked)) until = Date.now() + milliseconds
      return answer.status === 401 && Date.now() < until ? { ...answer, status: 200 } : answer
    }
  }
}

/** Answers as two processes would, of which one never hears what was revoked. */
export const acceptRevokedInOneOfTwoProcesses = (): Interception => {
  let rejected = 0
  return { response: (answer) => (answer.status === 401 && ++rejected % 2 === 0 ? { ...answer, status: 200 } : answer) }
}

export const accessFaults = (key: string): ReadonlyArray<InjectedFault> => [
  [
    "a shareable link is accepted where it is not allowed",
    "credentials/shareable_link",
    {
      request: (asked) =>
        asked.headers["x-shareable-link"] !== undefined && isTo(asked, OBSERVE)
          ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } }
          : asked
    }
  ],
  [
    "another organization's resource is returned",
    "credentials/other-organization",
    {
      request: (asked) =>
        asked.method === "GET" ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } } : asked
    }
  ],
  [
    "a revoked key keeps working",
    "credentials/revoked",
    { response: (answer): ProxiedResponse => (answer.status === 401 ? { ...answer, status: 200 } : answer) }
  ],
  ["a revoked key is rejected once and then works again", "credentials/revoked", rejectOnce()],
  ["a revoked key keeps working for four seconds in one process", "credentials/revoked", acceptRevokedFor(4000)],
  [
    "a repeated API key header is accepted",
    "credentials/duplicate-keys",
    {
      request: (asked) => {
        const [first] = String(asked.headers["x-service-api-key"] ?? "").split(", ")
        return first === undefined || first === "" ? asked : withHeaders(asked, { "x-service-api-key": first })
      }
    }
  ],
  [
    "a missing scope is ignored",
    "credentials/scopes",
    { request: (asked) => (isTo(asked, BULK_UPDATE) ? withHeaders(asked, { "x-service-api-key": key }) : asked) }
  ],
  [
    "a shareable link without the permission deletes results",
    "E8/not-granted",
    {
      request: (asked) =>
        isTo(asked, BULK_DELETE) && asked.headers["x-shareable-link"] !== undefined
          ? withHeaders(asked, { "x-service-api-key": key })
          : asked
    }
  ],
  [
    "a 401 has no WWW-Authenticate",
    "credentials/none",
    {
      response: (answer) => ({
        ...answer,
        headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== "www-authenticate"))
      })
    }
  ],
  [
    "a checkout response may be cached",
    "E2/repo",
    { response: (answer) => ({ ...answer, headers: { "content-type": "application/json" } }) }
  ],
  [
    "another organization's simplification is returned",
    "E6/progress-other-organization",
    {
      request: (asked) =>
        asked.method === "GET" ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } } : asked
    }
  ]
]
