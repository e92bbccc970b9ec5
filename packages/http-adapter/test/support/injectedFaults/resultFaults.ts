/** Injected faults of results and runs. */
import { at } from "../Contract.js"
import { fieldsOf, withFields, isTo, changeResponse, changeProperty, type InjectedFault } from "./changes.js"
import { BULK_DELETE, CAPACITY } from "../paths.js"

const neverSent = () => Promise.reject(new Error("No other request is sent"))

export const resultFaults = (key: string): ReadonlyArray<InjectedFault> => {
  let deleted = 0
  let canceled = 0
  let held: ReadonlyArray<number> = []
  return [
    [
      "a deletion is answered with 200",
      "E8/answered-204",
      { response: (a) => ({ ...a, status: a.status === 204 ? 200 : a.status }) }
    ],
    [
      "101 results are deleted at a time",
      "E8/limits",
      {
        request: (asked) => {
          const { result_ids: ids } = fieldsOf(asked)
          return isTo(asked, BULK_DELETE) && Array.isArray(ids)
            ? withFields(asked, { result_ids: ids.slice(0, 100) })
            : asked
        }
      }
    ],
    [
      "unknown results are reported as errors",
      "E8/silent",
      {
        response: (answer, asked) =>
          isTo(asked, BULK_DELETE) && asked.body.includes("999999999")
            ? { ...answer, status: 400, text: '{"result_ids": ["Unknown."]}' }
            : answer
      }
    ],
    [
      "a counter is decremented twice",
      "E8/counters",
      {
        response: (answer, asked) => {
          deleted += isTo(asked, BULK_DELETE) ? 1 : 0
          return isTo(asked, CAPACITY, "GET")
            ? changeResponse(changeProperty("pending_demand", (held) => Number(held) - (deleted > 1 ? 3 : 0)))(
                answer,
                asked,
                neverSent
              )
            : answer
        }
      }
    ],
    [
      "a phone number is never released",
      "E8/numbers-shared",
      {
        response: changeResponse((json, asked) => {
          if (!isTo(asked, CAPACITY, "GET")) return json
          const numbers = at(json, "phone_numbers_held")
          held = [...held, ...(Array.isArray(numbers) ? numbers.map(Number) : [])]
          return { ...Object(json), phone_numbers_held: held }
        })
      }
    ],
    [
      "another organization's results are deleted",
      "E8/other-organization",
      {
        request: (asked) =>
          isTo(asked, BULK_DELETE) ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } } : asked
      }
    ],
    [
      "a result is not recalculated after a deletion",
      "E9/re-evaluation",
      { response: changeResponse(changeProperty("success_rate", (rate) => (rate === null ? null : 1 / 3))) }
    ],
    [
      "runs of another result are silently ignored",
      "E9/not-its-own",
      {
        response: (answer, asked) =>
          asked.path.endsWith("delete_runs/") && answer.status === 400 ? { ...answer, status: 204, text: "" } : answer
      }
    ],
    [
      "101 runs are deleted at a time",
      "E9/limits",
      {
        request: (asked) => {
          const { run_ids: ids } = fieldsOf(asked)
          return asked.path.endsWith("delete_runs/") && Array.isArray(ids)
            ? withFields(asked, { run_ids: ids.slice(0, 100) })
            : asked
        }
      }
    ],
    [
      "an invalid lease is accepted",
      "results/lease",
      {
        response: (answer, asked) =>
          asked.path.endsWith("heartbeat/") && answer.status === 400 ? { ...answer, status: 200 } : answer
      }
    ],
    [
      "canceling twice is an error",
      "results/cancel",
      {
        response: (answer, asked) => {
          canceled += asked.path.endsWith("cancel/") ? 1 : 0
          return canceled > 2 && asked.path.endsWith("cancel/") ? { ...answer, status: 409 } : answer
        }
      }
    ],
    [
      "the status filter of runs is ignored",
      "results/read",
      {
        request: (asked) => ({ ...asked, path: asked.path.replace(/&status=\w+/, "") })
      }
    ]
  ]
}
