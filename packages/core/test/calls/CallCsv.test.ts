import { type CallRecord, callExportForm, type CsvColumns, csvHeader, csvLine } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"

const call = {
  id: 7,
  callId: "call-7",
  agentId: 3,
  agentName: "Front desk",
  timestamp: DateTime.unsafeMake("2026-03-01T10:00:00Z"),
  durationSeconds: 61.5,
  success: false,
  isReviewed: true,
  feedback: 'Said "no",\r\ntwice',
  callEndedReason: null,
  customerNumber: "+12025550147",
  topic: "=1+1",
  dropoffPoint: "-",
  traceId: "",
  errorMessage: null,
  metrics: [
    { id: 1, name: "Latency", type: "numeric", score: -2.5, enum: null, value: -2.5 },
    { id: 2, name: "Polite, yes", type: "binary", score: 1, enum: null, value: true },
    { id: 3, name: "Note", type: "enum", score: null, enum: "@home", value: "@home" }
  ]
} as unknown as CallRecord

const columnsOf = (query: object): CsvColumns => {
  const form = Either.getOrThrow(callExportForm({ ...query, format: "csv" }))
  if (form.format !== "csv") throw new Error("The form is not CSV")
  return form.columns
}

describe("calls as CSV", () => {
  it("have every column by default, in order, with lines ended as RFC 4180 says", () => {
    const columns = columnsOf({})
    expect(csvHeader(columns)).toBe(
      "id,call_id,timestamp,agent,agent_name,duration_s,success,status,is_reviewed,feedback,call_ended_reason," +
        "customer_number,topic,dropoff_point,trace_id,error_message\r\n"
    )
    expect(csvLine(call, columns)).toBe(
      "7,call-7,2026-03-01T10:00:00.000Z,3,Front desk,61.5,false,reviewed_failure,true," +
        '"Said ""no"",\r\ntwice",,\'+12025550147,\'=1+1,\'-,,\r\n'
    )
  })

  it("have the columns and metrics that are named, in their order", () => {
    const columns = columnsOf({ columns: " duration_s , call_id,call_id", metrics: '["Polite, yes","Latency","None"]' })
    expect(csvHeader(columns)).toBe('duration_s,call_id,"Polite, yes",Latency,None\r\n')
    expect(csvLine(call, columns)).toBe("61.5,call-7,true,-2.5,\r\n")
    expect(columnsOf({ metrics: " Latency ,, Note" }).metrics).toEqual(["Latency", "Note"])
    expect(columnsOf({ columns: "" }).columns).toHaveLength(16)
  })

  it("mark texts that a spreadsheet would calculate, and no numbers", () => {
    const columns = columnsOf({ columns: "id", metrics: ["Latency", "Note"] })
    expect(csvLine(call, columns)).toBe("7,-2.5,'@home\r\n")
    for (const text of ["=x", "+x", "-x", "@x", "\tx"]) {
      expect(csvLine({ ...call, topic: text }, columnsOf({ columns: "topic" }))).toBe(`'${text}\r\n`)
    }
    expect(csvLine({ ...call, topic: "\rx" }, columnsOf({ columns: "topic" }))).toBe(`"'\rx"\r\n`)
    expect(csvLine({ ...call, topic: "x=" }, columnsOf({ columns: "topic" }))).toBe("x=\r\n")
    expect(csvHeader(columnsOf({ columns: "id", metrics: ["=cmd"] }))).toBe("id,'=cmd\r\n")
  })

  it("are an error for unknown columns and for metrics that are no names", () => {
    const errorsOf = (query: unknown) => Either.getOrThrow(Either.flip(callExportForm(query))).errors
    expect(errorsOf({ columns: "id,nope" })).toEqual({
      columns: [expect.stringContaining('"nope" is not a valid choice. Choose from ')]
    })
    expect(errorsOf({ format: "xlsx" })).toEqual({
      format: [expect.stringContaining('"xlsx" is not a valid choice. Choose from ')]
    })
    expect(errorsOf({ metrics: "[1]" })).toEqual({ metrics: ["Not a valid string."] })
    expect(errorsOf({ metrics: '["x"' })).toEqual({ metrics: ["Expected a list of items."] })
    const many = Array.from({ length: 201 }, (_, index) => `m${index}`)
    expect(errorsOf({ metrics: many })).toEqual({ metrics: ["Ensure this field has no more than 200 elements."] })
  })
})
