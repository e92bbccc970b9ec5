/** Changes of requests and responses from which injected faults are made. */
import { isNode } from "../Contract.js"
import type { Interception, ProxiedRequest } from "../FaultyProxy.js"

/** What is wrong, the check that has to detect it, and the interception that causes it. */
export type InjectedFault = readonly [title: string, check: string, interception: Interception]

const parseJson = (text: string | Buffer): unknown => {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

export const fieldsOf = ({ body }: ProxiedRequest): Readonly<Record<string, unknown>> => {
  const json = parseJson(body)
  return isNode(json) ? json : {}
}

export const withFields = (asked: ProxiedRequest, fields: object): ProxiedRequest => ({
  ...asked,
  body: Buffer.from(JSON.stringify(fields))
})

export const isTo = ({ method, path }: ProxiedRequest, wanted: string, how = "POST") =>
  method === how && path.split("?")[0] === wanted

/** Changes every answer of a status with a JSON body. */
export const changeResponse =
  (
    change: (json: unknown, asked: ProxiedRequest) => unknown,
    status = [200, 201]
  ): NonNullable<Interception["response"]> =>
  (answer, asked) => {
    const json = parseJson(answer.text)
    return status.includes(answer.status) && json !== undefined
      ? { ...answer, text: JSON.stringify(change(json, asked)) }
      : answer
  }

/** Changes what stands under a name, wherever it stands. */
export const changeProperty = (name: string, change: (value: unknown) => unknown) => {
  const visit = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(visit)
      : isNode(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, held]) => [key, key === name ? change(held) : visit(held)])
          )
        : value
  return visit
}

export const withHeaders = (asked: ProxiedRequest, headers: ProxiedRequest["headers"]): ProxiedRequest => ({
  ...asked,
  headers: { ...asked.headers, ...headers }
})
