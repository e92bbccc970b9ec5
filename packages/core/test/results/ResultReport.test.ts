import { printResultReport, type ReportedRun, Result, scoreInWords } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { micromark } from "micromark"
import { gfm, gfmHtml } from "micromark-extension-gfm"
import { describe, expect, it } from "vitest"
import { AgentId, MetricId, ProjectId, ResultId } from "../../src/kernel/Ids.js"
import { codePoint } from "@earshot/test-kit"

const at = DateTime.unsafeMake(0)

const resultOf = (name: string): Result =>
  new Result({
    id: ResultId.make(1),
    name,
    projectId: ProjectId.make(1),
    agentId: AgentId.make(1),
    agentName: name,
    channel: "text",
    status: "completed",
    totalRuns: 1,
    runsByStatus: { queued: 0, running: 0, evaluating: 0, completed: 1, failed: 0, timeout: 0, cancelled: 0 },
    successRate: 0.5,
    success: false,
    metrics: [{ id: MetricId.make(1), name, better: "lower", runs: 1, average: 0.125 }],
    concurrencyLimit: null,
    createdAt: at,
    updatedAt: at
  })

const runOf = (text: string): ReportedRun => ({
  id: 7,
  key: text,
  name: text,
  outcome: "failed",
  seconds: 2.5,
  details: [text]
})

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' }

const HOSTILE = `<img src=x onerror=alert(1)> [a](javascript:b) \`c\` |d| *e* @team #1 &amp; "f'\n# g\u202e`

describe("a report of a result", () => {
  it("escapes every text in HTML, and neither loads nor runs anything", () => {
    const page = printResultReport("html", resultOf(HOSTILE), [runOf(HOSTILE)])
    expect(page).not.toContain("<img")
    expect(page).not.toContain("\u202e")
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;")
    expect(page).toContain("&amp;amp; &quot;f&#39; # g")
    expect(page).toContain("default-src 'none'")
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."<>&\"'/! abc\n") }), (text) => {
        const tags = (printed: string) => printed.match(/<[^>]*>/g)?.map((tag) => tag.replace(/ .*/, "")) ?? []
        const harmless = printResultReport("html", resultOf("x"), [runOf("x")])
        const printed = printResultReport("html", resultOf(text), [runOf(text)])
        expect(tags(printed)).toEqual(tags(harmless))
      })
    )
  })

  it("escapes what Markdown would interpret, one line per item", () => {
    const report = printResultReport("markdown", resultOf(HOSTILE), [runOf(HOSTILE)])
    expect(report).not.toMatch(/<img|[^\\]\[a|[^\\]`c|@team|\n# g/)
    expect(report).toContain("\\|d\\|")
    const lines = (text: string) => printResultReport("markdown", resultOf(text), [runOf(text)]).split("\n").length
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(lines(text)).toBe(lines("x"))
      })
    )
  })

  it("shows texts as they are when its Markdown is rendered", () => {
    const html = (text: string) =>
      micromark(printResultReport("markdown", resultOf(text), [runOf(text)]), {
        extensions: [gfm()],
        htmlExtensions: [gfmHtml()]
      })
    const tags = (text: string) => html(text).match(/<[^>]*>/g)
    const shown = (text: string) =>
      /<li>([^\n]*)<\/li>\n<\/ul>$/
        .exec(html(text).trim())?.[1]
        ?.replace(/&(?:amp|lt|gt|quot);/g, (one) => ENTITIES[one] ?? one)
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(..."\\`*_{}[]()<>#+-.!|~$=:@^&\"'1a ") }) },
      fc.constantFrom(
        "https://a.b/c",
        "www.a.b",
        "a@b.co",
        "- ",
        "+ ",
        "1. ",
        "12) ",
        "# ",
        "---",
        "===",
        "[x] ",
        "[^1]",
        "&amp;",
        "a_b_c",
        "__a__",
        "http:",
        "ftp://x.y",
        "xmpp:a@b.c",
        "<!--",
        "| a |",
        "~~a~~"
      ),
      fc.string({ unit: codePoint, maxLength: 5 })
    )
    const text = fc
      .array(part, { minLength: 1, maxLength: 5 })
      .map((parts) => `x${parts.join("")}`.slice(1).replace(/\s+/g, " ").trim())
    fc.assert(
      fc.property(
        text.filter((one) => /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(one)),
        (one) => {
          expect(tags(one)).toEqual(tags("x"))
          expect(shown(one)).toBe(one)
        }
      ),
      { numRuns: 300 }
    )
    const plain = 'Wait: 66.7 % (2 of 3), customer_ended_call; it\'s "done"! a-b = c'
    expect(printResultReport("markdown", resultOf("x"), [runOf(plain)])).toContain(`- ${plain}`)
  })

  it("says pass and fail in words", () => {
    const report = printResultReport("markdown", resultOf("Booking"), [runOf("Silence detection: passed")])
    expect(report).toContain("# Booking")
    expect(report).toContain("- Success: failed")
    expect(report).toContain("- Success rate: 50.0 %")
    expect(report).toContain("| Booking | 1 | 0.125 | lower is better |")
    expect(report).toContain("### Silence detection: passed, run 7: failed")
    expect(scoreInWords({ better: "higher", status: "scored", value: true })).toBe("passed")
    expect(scoreInWords({ better: "higher", status: "scored", value: false })).toBe("failed")
    expect(scoreInWords({ better: "lower", status: "scored", value: false })).toBe("passed")
    expect(scoreInWords({ better: "lower", status: "scored", value: true })).toBe("failed")
    expect(scoreInWords({ better: null, status: "scored", value: true })).toBe("yes")
    expect(scoreInWords({ better: null, status: "scored", value: 0.5 })).toBe("0.5")
    expect(scoreInWords({ better: null, status: "not_applicable", value: null })).toBe("not applicable")
  })
})
