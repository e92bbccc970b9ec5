/** Injected faults of suites, evaluators, personalities and prompt simplification. */
import { at, isNode } from "../Contract.js"
import { fieldsOf, withFields, isTo, changeResponse, changeProperty, type InjectedFault } from "./changes.js"
import { BULK_UPDATE, SIMPLIFY, VALIDATE_SUITE } from "../paths.js"

export const suiteFaults = (): ReadonlyArray<InjectedFault> => {
  let appended = 0
  return [
    [
      "a failed bulk update is not rolled back",
      "E4/all-or-nothing",
      {
        response: async (answer, asked, send) => {
          const fields = fieldsOf(asked)
          if (isTo(asked, BULK_UPDATE) && answer.status === 400 && fields.folder_path === "no.such") {
            await send(withFields(asked, { ...fields, folder_path: "" }))
          }
          return answer
        }
      }
    ],
    [
      "an instruction is appended only once",
      "E4/append",
      {
        request: (asked) => {
          const { append_instruction: text, ...fields } = fieldsOf(asked)
          appended += text === undefined ? 0 : 1
          return isTo(asked, BULK_UPDATE) && appended % 2 === 0 ? withFields(asked, fields) : asked
        }
      }
    ],
    [
      "the language filter of personalities is ignored",
      "E7/language",
      {
        request: (asked) => {
          const { language, ...fields } = fieldsOf(asked)
          return isTo(asked, asked.path) && language !== undefined && fields.personalities !== undefined
            ? withFields(asked, fields)
            : asked
        }
      }
    ],
    [
      "the default channel is one that the agent does not support",
      "E1/channels",
      {
        response: changeResponse((json, asked) =>
          isTo(asked, VALIDATE_SUITE) && fieldsOf(asked).channel === undefined
            ? changeProperty("channel", () => "text")(json)
            : json
        )
      }
    ],
    [
      "the price of a plan ignores frequencies",
      "E1/price",
      { response: changeResponse(changeProperty("estimated_cost", () => "25.000000")) }
    ],
    [
      "validation of a suite creates runs",
      "E1/nothing-created",
      {
        response: async (answer, asked, send) => {
          if (isTo(asked, VALIDATE_SUITE) && answer.status === 200) {
            await send({ ...asked, path: "/test_framework/v2/scenarios/run_scenarios_json/" })
          }
          return answer
        }
      }
    ],
    [
      "errors of a spec lack their paths",
      "E1/every-error",
      {
        response: changeResponse(
          (json, asked) => (isTo(asked, VALIDATE_SUITE) ? { spec: Object.values(Object(json)).flat() } : json),
          [400]
        )
      }
    ],
    [
      "the agent of the spec takes precedence over the request's",
      "E1/agent",
      {
        request: (asked) => {
          const { agent_id, ...fields } = fieldsOf(asked)
          return isTo(asked, VALIDATE_SUITE) && at(fields.spec, "agent_id") !== undefined
            ? withFields(asked, fields)
            : asked
        }
      }
    ],
    [
      "metrics of a spec's defaults are ignored",
      "E1/references",
      {
        request: (asked) => {
          const { spec, ...fields } = fieldsOf(asked)
          return isTo(asked, VALIDATE_SUITE) && isNode(spec)
            ? withFields(asked, { ...fields, spec: { ...spec, defaults: {} } })
            : asked
        }
      }
    ],
    [
      "the original prompt is missing from the response",
      "E6/answered-200",
      {
        response: changeResponse((json, asked) =>
          isTo(asked, SIMPLIFY) ? changeProperty("original_prompt", () => "")(json) : json
        )
      }
    ],
    [
      "an unknown metric is accepted together with a prompt",
      "E6/rejected",
      {
        request: (asked) => {
          const { metric_id, ...fields } = fieldsOf(asked)
          return isTo(asked, SIMPLIFY) && fields.original_prompt !== undefined ? withFields(asked, fields) : asked
        }
      }
    ],
    [
      "a spec of any size is accepted",
      "E1/size",
      {
        request: (asked) => {
          const { file, ...fields } = fieldsOf(asked)
          return isTo(asked, VALIDATE_SUITE) && typeof file === "string"
            ? withFields(asked, { ...fields, file: file.trimEnd() })
            : asked
        }
      }
    ]
  ]
}
