import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import { Worker } from "node:worker_threads"

/** Longer than what is read of a document at a time. */
const WINDOW = 131_072

/** Lines without values, of at least so many characters in all. */
const filler = (characters: number): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(characters / 60) }, () => "The parcel was opened and the lid had come off on the way.")

const asText = (value: Redaction.Json): string => JSON.stringify(value)

describe("a document that is longer than what is read at a time", () => {
  it("loses a value everywhere that one part of it gives away", () => {
    const document = {
      first: "Quimbla came by.",
      notes: filler(WINDOW + 1000),
      customer_name: "Quimbla Zorvetti",
      more: filler(WINDOW + 1000),
      last: "We called zorvetti again."
    }
    const redacted = Redaction.redactJson(document, ["person_name"])
    expect(redacted).toMatchObject({
      first: "[PERSON_NAME] came by.",
      customer_name: "[PERSON_NAME]",
      last: "We called [PERSON_NAME] again."
    })
    expect(redacted).toMatchObject({ notes: document.notes, more: document.more })
  })

  it("numbers its placeholders in their order, whatever part gave them away", () => {
    const document = ["call 415-555-2671", ...filler(WINDOW), "call 206-555-0143", "call 415-555-2671"]
    const redacted = Redaction.redactJson(document, ["phone_number"], { replacement: { style: "numbered" } })
    const lines = Array.isArray(redacted) ? redacted : []
    expect([lines.at(0), lines.at(-2), lines.at(-1)]).toEqual([
      "call [PHONE_NUMBER_1]",
      "call [PHONE_NUMBER_2]",
      "call [PHONE_NUMBER_1]"
    ])
  })

  it("loses values at the ends of the parts of one long text", () => {
    for (const before of [WINDOW - 40, WINDOW - 16, WINDOW - 1]) {
      const text = `${"so on ".repeat(WINDOW).slice(0, before)} my number is 415-555-2671 ${"and on ".repeat(WINDOW / 2)}`
      const redacted = asText(Redaction.redactJson({ text }, ["phone_number"]))
      expect(redacted).not.toContain("2671")
      expect(redacted.replace("[PHONE_NUMBER]", "415-555-2671")).toBe(asText({ text }))
    }
  })

  it("needs memory for one part of it at a time", async () => {
    const rows = Array.from({ length: 3_700 }, (_, at) => ({
      id: at,
      name: `Anna ${["Keller", "Okafor", "Mehta"][at % 3] ?? ""}`,
      phone: `415-555-${1000 + at}`,
      note: `The caller asked about the delivery of order ${100_000 + at} and said that the driver had come at 3:30 pm, then left again without a word.`
    }))
    const worker = new Worker(new URL("../dist/thread/thread.js", import.meta.url), {
      // The 0.8 MB of the document at once need twice as much.
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 }
    })
    try {
      const question = Redaction.RedactionQuestions.jsonQuestion(asText(rows), ["phone_number"], {})
      const answer = await new Promise<unknown>((resolve, reject) => {
        worker.once("message", resolve)
        worker.once("error", reject)
        worker.postMessage(question)
      })
      expect(String(answer)).not.toMatch(/415-555/)
    } finally {
      await worker.terminate()
    }
  }, 240_000)
})
