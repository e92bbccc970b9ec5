/**
 * A reference model of credentials: who made what with which permissions, what was revoked, and who is let in for that.
 * Source: interface, Authentication; design, section 3.
 */
import * as fc from "fast-check"
import { assertHolds, asyncProperty, expectSame, parameters, replay } from "../Law.js"

export const modelKinds = ["api_key", "oauth2", "dashboard_session", "embedded_session", "shareable_link"] as const
export type ModelKind = (typeof modelKinds)[number]

/** A credential that a door made: what shows it, and what names it for revocation. */
export interface Made {
  readonly secret: string
  readonly name: string | number
}

export type Admission = "let in" | "unauthenticated" | "forbidden"

/** What a caller may try. */
export const actions = ["list dashboards", "create a dashboard", "list calls", "ingest a call", "list keys"] as const
export type Action = (typeof actions)[number]

/** A way to an engine on which nothing else changes credentials. */
export interface CredentialDoor {
  /** Makes a credential that may do this and no more; embedded sessions and links are bound to one project. */
  readonly make: (kind: ModelKind, permissions: ReadonlyArray<string>) => Promise<Made>
  readonly revoke: (kind: ModelKind, made: Made) => Promise<void>
  /** Tries something, with a body that is at fault where it takes one, so that nothing is made. */
  readonly attempt: (kind: ModelKind, secret: string, action: Action) => Promise<Admission>
}

interface Rule {
  readonly needs: string
  readonly accepts: ReadonlyArray<ModelKind>
  /** Whether it is out of reach for what is bound to a project. */
  readonly whole?: true
}

const rules: Readonly<Record<Action, Rule>> = {
  "list dashboards": { needs: "dashboards:read", accepts: modelKinds },
  "create a dashboard": { needs: "dashboards:write", accepts: modelKinds },
  "list calls": { needs: "calls:read", accepts: ["api_key", "oauth2", "dashboard_session", "embedded_session"] },
  "ingest a call": { needs: "calls:write", accepts: ["api_key"] },
  "list keys": { needs: "keys:manage", accepts: ["api_key", "oauth2", "dashboard_session"], whole: true }
}

const PERMISSIONS = ["dashboards:read", "dashboards:write", "calls:read", "calls:write", "keys:manage"]

interface Held {
  readonly kind: ModelKind
  readonly permissions: ReadonlyArray<string>
  readonly made: Made
  isRevoked: boolean
}

const isBound = (kind: ModelKind) => kind === "embedded_session" || kind === "shareable_link"

const admission = ({ isRevoked, kind, permissions }: Held, action: Action): Admission => {
  const { accepts, needs, whole } = rules[action]
  if (isRevoked || !accepts.includes(kind)) return "unauthenticated"
  return permissions.includes(needs) && !(whole === true && isBound(kind)) ? "let in" : "forbidden"
}

class Model {
  readonly held: Array<Held> = []
  at(position: number): Held | undefined {
    return this.held[position % Math.max(1, this.held.length)]
  }
}

type Command = fc.AsyncCommand<Model, CredentialDoor>

const command = (name: string, run: (model: Model, door: CredentialDoor) => Promise<void>): Command => ({
  check: () => true,
  toString: () => name,
  run
})

const kind = fc.constantFrom(...modelKinds)

const making = fc.tuple(kind, fc.subarray(PERMISSIONS, { minLength: 1 })).map(([kind, permissions]) =>
  command(`make ${kind} of ${permissions.join(", ")}`, async (model, door) => {
    model.held.push({ kind, permissions, made: await door.make(kind, permissions), isRevoked: false })
  })
)

const revoking = fc.nat().map((which) =>
  command(`revoke ${which}`, async (model, door) => {
    const held = model.at(which)
    if (held === undefined) return
    await door.revoke(held.kind, held.made)
    held.isRevoked = true
  })
)

const attempting = fc.tuple(fc.nat(), fc.constantFrom(...actions)).map(([which, action]) =>
  command(`${action} with ${which}`, async (model, door) => {
    const held = model.at(which)
    if (held === undefined) return
    expectSame(
      `${action} with a ${held.isRevoked ? "revoked " : ""}${held.kind} of ${held.permissions.join(", ")}`,
      await door.attempt(held.kind, held.made.secret, action),
      admission(held, action)
    )
  })
)

const misplacing = fc.tuple(fc.nat(), kind, fc.constantFrom(...actions)).map(([which, other, action]) =>
  command(`${action} with ${which} in the place of ${other}`, async (model, door) => {
    const held = model.at(which)
    // What is carried alike is told apart by itself.
    const carrier = (one: ModelKind) => (one === "api_key" || one === "shareable_link" ? one : "bearer")
    if (held === undefined || carrier(held.kind) === carrier(other)) return
    expectSame(
      `${action} with a ${held.kind} in the place of ${other}`,
      await door.attempt(other, held.made.secret, action),
      "unauthenticated"
    )
  })
)

/** Fails when a door lets in whom the model does not, or the other way round. */
export const checkCredentialModel = async (
  door: () => Promise<CredentialDoor>,
  options: { readonly walks: number; readonly steps: number }
): Promise<void> => {
  const walks = fc.commands([making, making, attempting, attempting, attempting, revoking, misplacing], {
    maxCommands: options.steps,
    size: "max",
    ...replay()
  })
  const details = await fc.check(
    asyncProperty([walks], async (commands) => {
      const real = await door()
      await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
    }),
    parameters(options.walks)
  )
  assertHolds("credentials let in whom the model lets in", details)
}

const TOKENS = "/user/v1/tokens/"
const KEYS = "/user/v1/api_keys/"
const LINKS = "/user/v1/shareable_links/"

const requests: Readonly<Record<Action, readonly [method: string, path: string, json?: object]>> = {
  "list dashboards": ["GET", "/dashboards/dashboards/"],
  "create a dashboard": ["POST", "/dashboards/dashboards/", {}],
  "list calls": ["GET", "/observability/v1/call-logs/"],
  "ingest a call": ["POST", "/observability/v1/observe/", {}],
  "list keys": ["GET", KEYS]
}

/** The header that carries a credential of a kind. */
export const carrying = (kind: ModelKind, secret: string): Readonly<Record<string, string>> =>
  kind === "api_key"
    ? { "x-service-api-key": secret }
    : kind === "shareable_link"
      ? { "x-shareable-link": secret }
      : { authorization: `Bearer ${secret}` }

/** A server by its URL, and a key of an organisation there that may do everything. */
export const httpCredentialDoor = (url: string, apiKey: string, project: number): CredentialDoor => {
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
  const bounds = [{ type: "project", id: project }]
  const field = (body: unknown, name: string): string | number => {
    const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
    return typeof value === "number" ? value : String(value)
  }
  const made = async (path: string, json: object, secret: string, name: string): Promise<Made> => {
    const { body, status, text } = await ask("POST", path, own, json)
    if (status !== 201) throw new Error(`POST ${path} answered ${status} ${text}`)
    return { secret: String(field(body, secret)), name: field(body, name) }
  }
  return {
    make: (kind, permissions) =>
      kind === "api_key"
        ? made(KEYS, { name: "Walk", scopes: permissions }, "api_key", "id")
        : kind === "shareable_link"
          ? made(LINKS, { name: "Walk", bounds, permissions }, "token", "id")
          : made(TOKENS, { kind, permissions, bounds: isBound(kind) ? bounds : null }, "token", "jti"),
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
      const [method, path, json] = requests[action]
      const { status, text } = await ask(method, path, carrying(kind, secret), json)
      if (status === 401) return "unauthenticated"
      if (status === 403) return "forbidden"
      if (status !== 200 && status !== 400) throw new Error(`${action} answered ${status} ${text}`)
      return "let in"
    }
  }
}
