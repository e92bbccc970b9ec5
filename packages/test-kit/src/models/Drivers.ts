/** The response of a driver. */
export interface DriverResponse {
  readonly outcome: "done" | "created" | "refused" | "missing" | "denied"
  /** The wire form of the response. */
  readonly body: unknown
  /** The sorted paths of field errors; empty on success. */
  readonly errors: ReadonlyArray<string>
}

/** Sends a request with a path of the interface. */
export type Driver = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  json?: object
) => Promise<DriverResponse>

export const response = (
  outcome: DriverResponse["outcome"],
  body: unknown = null,
  errors: ReadonlyArray<string> = []
): DriverResponse => ({
  outcome,
  body,
  errors: [...errors].sort()
})

/** A driver of one server, or of several on one database in turn. */
export const httpDriver = (urls: ReadonlyArray<string>, apiKey: string): Driver =>
  driverWith(urls, { "x-service-api-key": apiKey })

/** A driver of one server with a token, which is denied what only API keys may do. */
export const tokenDriver = (url: string, token: string): Driver =>
  driverWith([url], { authorization: `Bearer ${token}` })

const driverWith = (urls: ReadonlyArray<string>, credential: Readonly<Record<string, string>>): Driver => {
  let turn = 0
  return async (method, path, json) => {
    const reply = await fetch(`${urls[turn++ % urls.length] ?? ""}${path}`, {
      method,
      headers: {
        ...credential,
        ...(json === undefined ? {} : { "content-type": "application/json" })
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const text = await reply.text()
    const body = bodyOf(reply.headers.get("content-type") ?? "", text)
    switch (reply.status) {
      case 200:
      case 204:
        return response("done", body)
      case 201:
        return response("created", body)
      case 409:
        return response("refused")
      case 400:
        return response("refused", null, typeof body === "object" && body !== null ? Object.keys(body) : [])
      case 404:
        return response("missing")
      case 401:
      case 403:
        if ("authorization" in credential) return response("denied")
        throw new Error(`${method} ${path} answered ${reply.status} ${text}`)
      default:
        throw new Error(`${method} ${path} answered ${reply.status} ${text}`)
    }
  }
}

/** The JSON of a body; a list of an export's lines. */
const bodyOf = (type: string, text: string): unknown =>
  type.startsWith("application/x-ndjson")
    ? text.split("\n").flatMap((line): ReadonlyArray<unknown> => (line === "" ? [] : [JSON.parse(line)]))
    : type.startsWith("application/json") && text !== ""
      ? JSON.parse(text)
      : null

/** Creates an empty project with an agent. */
export const createEmptyProject = async (
  driver: Driver
): Promise<{ readonly project: number; readonly agent: number }> => {
  const make = async (path: string, json: object): Promise<number> => {
    const { body, outcome } = await driver("POST", path, json)
    const id: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id") : undefined
    if (typeof id !== "number") throw new Error(`POST ${path} was ${outcome}`)
    return id
  }
  const project = await make("/user/v1/projects/", { name: "Model" })
  return { project, agent: await make("/test_framework/v1/agents/", { project, name: "Model" }) }
}
