import { Forbidden, NotFound, Unauthenticated } from "@earshot/core"
import { describe, expect, it } from "@effect/vitest"
import { ApiRejected, ReceiptOnly, ServerUnusable } from "../src/Api.js"
import {
  fieldErrorLines,
  UsageError,
  optionErrorLines,
  OutputClosed,
  ReportedFailure,
  CommandRejected,
  reportOf
} from "../src/Errors.js"

describe("exit codes", () => {
  it.each([
    [new OutputClosed(), 0],
    [new CommandRejected({ reason: "no" }), 1],
    [new ReportedFailure(), 1],
    [new NotFound({ resource: "Call" }), 1],
    [new Forbidden({ permission: "calls:read" }), 1],
    [new Unauthenticated({ reason: "invalid" }), 1],
    [{ _tag: "ValidationFailed", errors: { name: ["No."] } }, 1],
    [new UsageError({ reason: "no" }), 2],
    [new ApiRejected({ status: 404, body: { detail: "No Call matches." }, requestId: null }), 1],
    [new ApiRejected({ status: 400, body: { name: ["No."] }, requestId: "a-1" }), 1],
    [new ApiRejected({ status: 429, body: { detail: "Throttled." }, requestId: "a-1" }), 1],
    [new ApiRejected({ status: 503, body: { detail: "Busy." }, requestId: "a-1" }), 3],
    [new ReceiptOnly({ status: 200, receipt: { id: 7 } }), 0],
    [new ServerUnusable({ reason: "no" }), 3],
    [{ _tag: "StorageFailed" }, 3],
    [{ _tag: "StorageUnusable" }, 3],
    [new Error("boom"), 3],
    [undefined, 3]
  ])("%o ends with %i", (error, code) => {
    expect(reportOf(error).code).toBe(code)
  })

  it("come with the errors, by their paths", () => {
    expect(fieldErrorLines({ non_field_errors: ["A."], "turns[1].role": ["B.", "C."] })).toEqual([
      "A.",
      "turns[1].role: B.",
      "turns[1].role: C."
    ])
  })

  it("name the options that the fields were given by, where the command has them", () => {
    const errors = { "filters_v2.conditions[2].op": ["A."], "scopes[0]": ["B."], folder_path: ["C."], project: ["D."] }
    expect(optionErrorLines(errors, ["--filter", "--scope", "--folder-path"])).toEqual([
      "--filter: conditions[2].op: A.",
      "--scope: B.",
      "--folder-path: C.",
      "project: D."
    ])
    expect(optionErrorLines(errors, [])).toEqual(fieldErrorLines(errors))
    expect(optionErrorLines({ non_field_errors: ["A."] }, ["--filter"])).toEqual(["A."])
  })
})
