import { describe, expect, it } from "vitest"
import * as withEffect from "../src/embed-with-effect.js"
import * as mounted from "../src/mount-http.js"
import * as withPromises from "../src/embed-with-promises.js"

const linesOf = async (main: (print: (line: string) => void) => Promise<void>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  await main((line) => lines.push(line))
  return lines
}

describe("the examples", () => {
  it("embeds the engine with promises", async () => {
    expect(await linesOf(withPromises.main)).toEqual([
      "Stored call call-0001, 5.2 s long",
      "Calls from the north: call-0001",
      "Invalid fields: agent, transcript_type"
    ])
  })

  it("embeds the engine with Effect layers", async () => {
    const [data] = await linesOf(withEffect.main)
    expect(JSON.parse(data ?? "")).toMatchObject({
      chart_type: "pie",
      total: 3,
      series: [
        {
          points: [
            { label: "resolved", value: 2 },
            { label: "no-answer", value: 1 }
          ]
        }
      ]
    })
  })

  it("mounts the server next to other routes", async () => {
    expect(await linesOf(mounted.main)).toEqual(["another page", "201 Created"])
  })
})
