import * as fc from "effect/FastCheck"
import { codePoint } from "@earshot/test-kit"

/** Texts as callers, providers and pranksters write them. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.constantFrom(
        "\u001b[31m",
        "\u001b]0;x\u0007",
        "\u009b2J",
        "\r",
        "\n",
        "\u202e",
        "\ud800",
        "日",
        "👩‍👩‍👧",
        "e\u0301",
        "a",
        " "
      )
    )
    .map((parts) => parts.join(""))
)

/** Whether a terminal would do something at this text other than show it; line breaks are not looked at. */
export const acts = (text: string): boolean =>
  !text.isWellFormed() || /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u.test(text.replaceAll("\n", ""))

/** A text without the colors that this command paints with. */
export const unpainted = (text: string): string =>
  ["0", "1", "2", "32", "33", "36"].reduce((left, code) => left.replaceAll(`\u001b[${code}m`, ""), text)
