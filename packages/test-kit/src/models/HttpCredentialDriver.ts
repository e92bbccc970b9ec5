import { at } from "../Documents.js"
import { type Driver, httpDriver } from "./Drivers.js"
import type { Action, CredentialDriver, ModelKind, Wanted } from "./CredentialRules.js"

const DASHBOARDS = "/dashboards/dashboards/"

/** Two projects, the first of which exists already, with a dashboard each. */
export interface TwoProjects {
  readonly projects: readonly [number, number]
  readonly dashboards: readonly [number, number]
}

export const twoProjects = async (driver: Driver, first: number): Promise<TwoProjects> => {
  const made = async (path: string, json: object) => Number(at((await driver("POST", path, json)).body, "id"))
  const second = await made("/user/v1/projects/", { name: "Second" })
  return {
    projects: [first, second],
    dashboards: [
      await made(DASHBOARDS, { name: "First", project: first }),
      await made(DASHBOARDS, { name: "Second", project: second })
    ]
  }
}

/**
 * The body that issues a credential.
 *
 * @param now epoch milliseconds
 * @param soon lifetime of a credential with expiry `soon`, in seconds
 */
export const draftOf = (
  { bound, ends, kind, permissions }: Wanted,
  { projects }: TwoProjects,
  now: number,
  soon: number
): object => {
  const bounds = bound === null ? null : [{ type: "project", id: projects[bound] }]
  const expires_at = ends === "late" ? null : new Date(ends === "soon" ? now + soon * 1000 : now - 1000).toISOString()
  // A day is the longest lifetime of a token of any kind.
  const ttl = ends === "late" ? {} : { ttl: ends === "soon" ? soon : 86_401 }
  return kind === "api_key"
    ? { name: "Model", scopes: permissions, expires_at }
    : kind === "shareable_link"
      ? { name: "Model", bounds, permissions, expires_at }
      : { kind, permissions, bounds, ...ttl }
}

const TOKENS = "/user/v1/tokens/"

const KEYS = "/user/v1/api_keys/"

const LINKS = "/user/v1/shareable_links/"

const requestOf = (action: Action, dashboards: TwoProjects["dashboards"]): readonly [string, string, object?] => {
  switch (action) {
    case "list dashboards":
      return ["GET", DASHBOARDS]
    case "create a dashboard":
      return ["POST", DASHBOARDS, {}]
    case "list calls":
      return ["GET", "/observability/v1/call-logs/"]
    case "ingest a call":
      return ["POST", "/observability/v1/observe/", {}]
    case "list keys":
      return ["GET", KEYS]
    case "read the first dashboard":
      return ["GET", `${DASHBOARDS}${dashboards[0]}/`]
    case "read the second dashboard":
      return ["GET", `${DASHBOARDS}${dashboards[1]}/`]
  }
}

/** The header that carries a credential of a kind. */
const carrying = (kind: ModelKind, secret: string): Readonly<Record<string, string>> =>
  kind === "api_key"
    ? { "x-service-api-key": secret }
    : kind === "shareable_link"
      ? { "x-shareable-link": secret }
      : { authorization: `Bearer ${secret}` }

/** A server by its URL, with a key of an organization that has all permissions. */
export const httpCredentialDriver = (url: string, apiKey: string, project: number): CredentialDriver => {
  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>>, json?: object) => {
    const reply = await fetch(url + path, {
      method,
      headers: { ...headers, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const text = await reply.text()
    const body: unknown = text === "" ? null : JSON.parse(text)
    return { status: reply.status, body, text }
  }
  const own = { "x-service-api-key": apiKey }
  let known: Promise<TwoProjects> | undefined
  const fixture = () => (known ??= twoProjects(httpDriver([url], apiKey), project))
  const field = (body: unknown, name: string): string | number => {
    const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
    return typeof value === "number" ? value : String(value)
  }
  const subjects = (kind: ModelKind) =>
    kind === "api_key"
      ? ([KEYS, "api_key", "id"] as const)
      : kind === "shareable_link"
        ? ([LINKS, "token", "id"] as const)
        : ([TOKENS, "token", "jti"] as const)
  return {
    // The time of a server cannot be advanced: what expires soon there expires after the sequence.
    pass: null,
    make: async (wanted, issuer) => {
      const [path, secret, name] = subjects(wanted.kind)
      const headers = issuer === undefined ? own : carrying(issuer.kind, issuer.secret)
      const json = draftOf(wanted, await fixture(), Date.now(), 3600)
      const { body, status, text } = await ask("POST", path, headers, json)
      if (status === 400) return "refused"
      if (status === 401) return "unauthenticated"
      if (status === 403) return "forbidden"
      if (status !== 201) throw new Error(`POST ${path} answered ${status} ${text}`)
      return { secret: String(field(body, secret)), name: field(body, name) }
    },
    revoke: async (kind, { name }) => {
      const { status, text } =
        kind === "api_key"
          ? await ask("DELETE", `${KEYS}${name}/`, own)
          : kind === "shareable_link"
            ? await ask("DELETE", `${LINKS}${name}/`, own)
            : await ask("POST", `${TOKENS}revoke/`, own, { jti: name })
      if (status !== 204) throw new Error(`A revocation answered ${status} ${text}`)
    },
    attempt: async (kind, secret, action) => {
      const [method, path, json] = requestOf(action, (await fixture()).dashboards)
      const { status, text } = await ask(method, path, carrying(kind, secret), json)
      if (status === 401) return "unauthenticated"
      if (status === 403) return "forbidden"
      if (status === 404) return "missing"
      if (status !== 200 && status !== 400) throw new Error(`${action} answered ${status} ${text}`)
      return "accepted"
    }
  }
}
