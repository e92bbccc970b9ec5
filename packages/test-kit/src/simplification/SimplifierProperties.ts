/** Properties of prompt simplifiers and of the validation of their results. */
import { validateSimplified, protectedTokens } from "@earshot/core"
import * as fc from "fast-check"
import { type Property, property, expectEqual, expectEvery, expectOrdered } from "../Property.js"
import { anyText, plainRules, prompt, spoiled } from "./PromptArbitraries.js"

/** A simplifier without a language model. */
export type Simplify = (prompt: string) => string

/** The errors of a simplified prompt, one sentence each; empty if it keeps every rule of the original. */
export type ValidateSimplified = (original: string, simplified: string) => ReadonlyArray<string>

/** Characters without the numbers of list items. */
const lengthOf = (text: string): number => text.replace(/^\d+\. /gm, "").length

/** Properties of a simplifier. */
export const simplifierProperties = (
  simplify: Simplify,
  validate: ValidateSimplified = validateSimplified
): ReadonlyArray<Property> => [
  property("simplifying a result again changes nothing", [anyText], (text) => {
    const once = simplify(text)
    expectEqual("simplify(once)", simplify(once), once)
  }),
  property("every protected token of the original is in the result", [prompt], (text) => {
    const kept = new Set(protectedTokens(simplify(text)))
    expectEvery("protectedTokens(text)", protectedTokens(text), (token) => kept.has(token))
  }),
  property("a result is no longer than the original, list numbers aside", [anyText], (text) => {
    expectOrdered("lengthOf(simplify(text))", lengthOf(simplify(text)), "<=", lengthOf(text))
  }),
  property(
    "a result passes the validation of a language model's answers",
    [plainRules],
    (rules) => {
      const verbose = rules.map(({ sentence }) => `Please note that ${sentence}`).join(" ")
      expectEqual("validate(verbose, simplify(verbose)).length", validate(verbose, simplify(verbose)).length, 0)
    },
    200
  )
]

const listed = (all: ReadonlyArray<string>): string => all.map((one, at) => `${at + 1}. ${one}`).join("\n")

/** Properties of the validation of a simplified prompt. */
export const checkProperties = (validate: ValidateSimplified): ReadonlyArray<Property> => [
  property("a list of the same rules is valid in any order", [plainRules], (rules) => {
    const sentences = rules.map(({ sentence }) => sentence)
    expectEqual(
      'validate(sentences.join(" "), listed(sentences.toReversed())).length',
      validate(sentences.join(" "), listed(sentences.toReversed())).length,
      0
    )
  }),
  property("an omitted rule is reported, and so is every altered one", [plainRules, fc.nat()], (rules, pick) => {
    const sentences = rules.map(({ sentence }) => sentence)
    const original = sentences.join(" ")
    const at = pick % sentences.length
    const without = sentences.filter((_, position) => position !== at)
    expectOrdered("validate(original, listed(without)).length", validate(original, listed(without)).length, ">", 0)
    expectEvery(
      'spoiled(sentences[at] ?? "")',
      spoiled(sentences[at] ?? ""),
      (wrong) => validate(original, listed([...without, wrong])).length > 0
    )
  }),
  property("validation accepts any two texts and is deterministic", [anyText, anyText], (one, other) => {
    expectEqual("validate(one, other).join()", validate(one, other).join(), validate(one, other).join())
  })
]
