import { describe, expect, it } from "vitest"
import { decode, errorsOf, notAnObject, notAString, required, toolCallsOf } from "./decoding.js"

describe("tool calls and their results", () => {
  it("are paired by id, otherwise by name, otherwise in order", () => {
    const call = (id: string | undefined, name: string) => ({
      role: "tool_call",
      tool_call_id: id,
      name,
      arguments: name
    })
    const result = (id: string | undefined, name: string | undefined, text: string) => ({
      role: "tool_call_result",
      tool_call_id: id,
      function_name: name,
      result: text
    })
    expect(
      toolCallsOf(
        decode("provider_d", [
          call(undefined, "find"),
          call(undefined, "book"),
          call("find", "other"),
          call(undefined, ""),
          result(undefined, "book", "booked"),
          result("find", undefined, "by id"),
          result(undefined, undefined, "nameless"),
          { role: "tool_call_result", name: "find", content: "found" },
          result(undefined, undefined, "lost")
        ])
      )
    ).toStrictEqual([
      [undefined, "find", "find", "found", undefined],
      [undefined, "book", "book", "booked", undefined],
      ["find", "other", "other", "by id", undefined],
      [undefined, "", "", "nameless", undefined],
      [undefined, "", "", "lost", undefined]
    ])
  })

  it("in a language model's notation are validated item by item", () => {
    const row = (...toolCalls: ReadonlyArray<unknown>) => ({ role: "tool_calls", toolCalls })
    expect(
      errorsOf("provider_a", [
        row(5, {}, { function: {} }, { id: 5, function: { name: 3, arguments: "\0" } }),
        { role: "tool_calls", toolCalls: 5 }
      ])
    ).toStrictEqual({
      "[0].toolCalls[0]": notAnObject,
      "[0].toolCalls[1].function": required,
      "[0].toolCalls[2].function.name": required,
      "[0].toolCalls[3].id": notAString,
      "[0].toolCalls[3].function.name": notAString,
      "[0].toolCalls[3].function.arguments": ["Null characters are not allowed."],
      "[1].toolCalls": ["Expected a list of items."]
    })
    expect(toolCallsOf(decode("provider_a", [row({ function: { name: "f" } })]))).toStrictEqual([
      [undefined, "f", "", undefined, undefined]
    ])
  })
})
