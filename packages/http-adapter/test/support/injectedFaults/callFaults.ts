/** Injected faults of calls, dashboards, metrics, pages and messages. */
import { at } from "../Contract.js"
import { fieldsOf, withFields, isTo, changeResponse, changeProperty, type InjectedFault } from "./changes.js"
import { DASHBOARDS, OBSERVE } from "../paths.js"

export const callFaults = (): ReadonlyArray<InjectedFault> => [
  [
    "validation errors have status 422",
    "E5/required",
    { response: (a) => ({ ...a, status: a.status === 400 ? 422 : a.status }) }
  ],
  [
    "an error message is not in a list",
    "E5/required",
    { response: changeResponse((json) => changeProperty("name", String)(json), [400]) }
  ],
  [
    "only the first field error is reported",
    "E10/every-error",
    { response: changeResponse((json) => Object.fromEntries(Object.entries(Object(json)).slice(0, 1)), [400]) }
  ],
  [
    "a name of 256 characters is accepted",
    "E5/name-limit",
    {
      request: (asked) => {
        const { name, ...fields } = fieldsOf(asked)
        return isTo(asked, DASHBOARDS) && typeof name === "string"
          ? withFields(asked, { ...fields, name: [...name].length === 256 ? name.slice(1) : name })
          : asked
      }
    }
  ],
  [
    "a name of 255 characters is rejected",
    "E5/name-limit",
    {
      response: (answer, asked) =>
        String(fieldsOf(asked).name).length === 255
          ? { ...answer, status: 400, text: '{"name": ["Too long."]}' }
          : answer
    }
  ],
  [
    "characters are counted as UTF-16 code units",
    "E10/call-id-limit",
    {
      response: (answer, asked) =>
        isTo(asked, OBSERVE) && String(fieldsOf(asked).call_id).length > 100
          ? { ...answer, status: 400, text: '{"call_id": ["Too long."]}' }
          : answer
    }
  ],
  [
    "a field is missing from a response",
    "E3/answered-200",
    { response: changeResponse(changeProperty("metric_name", () => undefined)) }
  ],
  [
    "a redelivered call is answered with 201",
    "E10/redelivered-200",
    { response: (a) => ({ ...a, status: a.status === 200 ? 201 : a.status }) }
  ],
  [
    "filters are merged with or instead of and",
    "filters/merged",
    {
      response: changeResponse(
        changeProperty("effective_filters", (filter) => changeProperty("operator", () => "or")(filter))
      )
    }
  ],
  [
    "a percentile is off by one rank",
    "widget-data/aggregates",
    {
      response: changeResponse((json) =>
        at(json, "aggregation_function") === "p95" ? changeProperty("value", () => 19)(json) : json
      )
    }
  ],
  [
    "milliseconds are read as seconds",
    "E10/format-provider_a",
    {
      response: changeResponse(changeProperty("start_time", (time) => (typeof time === "number" ? time * 1000 : time)))
    }
  ],
  [
    "a field is redacted that was not requested",
    "E10/redaction",
    {
      request: (asked) => {
        const fields = fieldsOf(asked)
        return Array.isArray(fields.redact_fields)
          ? withFields(asked, { ...fields, redact_fields: [...fields.redact_fields, "email_address"] })
          : asked
      }
    }
  ],
  [
    "a call is charged twice",
    "E10/redaction-price",
    {
      response: changeResponse(
        changeProperty("results", (all) => (Array.isArray(all) ? all.flatMap((one: unknown) => [one, one]) : all))
      )
    }
  ],
  [
    "an item is skipped between pages",
    "pages/traversal",
    { response: changeResponse(changeProperty("results", (all) => (Array.isArray(all) ? all.slice(0, 1) : all))) }
  ],
  [
    "an unparsable body is answered with 500",
    "messages/bodies",
    { response: (answer) => (answer.text.includes("JSON parse error") ? { ...answer, status: 500 } : answer) }
  ],
  [
    "the slug of a predefined metric is invalid",
    "E11/listed",
    { response: changeResponse(changeProperty("slug", (slug) => `${String(slug)} `)) }
  ],
  [
    "assistant_id is ignored",
    "E12/agent",
    {
      request: (asked) => {
        const { assistant_id, ...fields } = fieldsOf(asked)
        return asked.method === "PATCH" && assistant_id !== undefined ? withFields(asked, fields) : asked
      }
    }
  ],
  [
    "a moved widget keeps the filters of its old dashboard",
    "E3/moved",
    {
      request: (asked) => {
        const { dashboard, ...fields } = fieldsOf(asked)
        return asked.method === "PATCH" && dashboard !== undefined ? withFields(asked, fields) : asked
      }
    }
  ],
  [
    "a patched metric is returned unchanged",
    "E12/answered-200",
    { response: changeResponse(changeProperty("display_order", () => 0)) }
  ]
]
