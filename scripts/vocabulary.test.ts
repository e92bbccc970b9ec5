import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { replacedPhrases, replacedWords } from "./lint/vocabulary.mjs"

const root = new URL("..", import.meta.url)
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  // The glossary lists the words that are replaced.
  .filter((path) => path !== "" && path !== "docs/glossary.md")

/** A canceled run's status in responses, which documents quote with its spelling. */
const RUN_STATUS = "cancelled"

describe("the vocabulary of docs/glossary.md", () => {
  it("is used in every document", () => {
    const found = documents.flatMap((path) =>
      readFileSync(new URL(path, root), "utf8")
        .split("\n")
        .map((line) => line.replaceAll(`\`${RUN_STATUS}\``, ""))
        .flatMap((line, index) => replacedPhrases(line).map(({ phrase }) => `${path}:${index + 1} ${phrase}`))
    )
    expect(documents.length).toBeGreaterThan(50)
    expect(found).toEqual([])
  })

  it("rejects a replaced word wherever it stands in an identifier", () => {
    expect(
      ["judgeMetric", "AgentWorld", "takeUp", "SAID_ONCE", "jobBell"].flatMap((name) =>
        replacedWords(name, "packages/core/src/jobs/Job.ts").map(({ word }) => word)
      )
    ).toEqual(["judge", "world", "take up", "said", "bell"])
  })

  it("accepts words that only contain a replaced word", () => {
    expect(
      ["lawful", "stringify", "bellow", "indoor", "LlmJudge"].flatMap((name) =>
        replacedWords(name, "packages/core/src/metrics/LlmJudge.ts").map(({ word }) => word)
      )
    ).toEqual([])
  })

  it("allows `judge` in the LLM judge alone", () => {
    expect(replacedWords("judgeCall", "packages/core/src/metrics/LlmJudge.ts")).toEqual([])
    expect(replacedWords("judgeCall", "packages/core/src/calls/Ingest.ts").map(({ word }) => word)).toEqual(["judge"])
  })
})
