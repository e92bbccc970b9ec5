/** What a simplifier of prompts has to keep to, whatever it is made of, and what checks such a one. */
import { validateSimplified, protectedTokens } from "@earshot/core"
import * as fc from "fast-check"
import { type Property, property } from "../Property.js"
import { anyText, plainRules, prompt, spoiled } from "./PromptArbitraries.js"

/** A simplifier that needs nobody. */
export type Simplify = (prompt: string) => string

/** What is wrong with a simplified prompt, in sentences; nothing where it says all that the original does. */
export type ValidateSimplified = (original: string, simplified: string) => ReadonlyArray<string>

const words = (text: string): number => text.replace(/^\d+\. /gm, "").length

/** What a simplifier keeps to. */
export const simplifierProperties = (
  simplify: Simplify,
  judge: ValidateSimplified = validateSimplified
): ReadonlyArray<Property> => [
  property("the same prompt again changes nothing", [anyText], (text) => {
    const once = simplify(text)
    return simplify(once) === once
  }),
  property("every protected token of the original is in what is left", [prompt], (text) => {
    const kept = new Set(protectedTokens(simplify(text)))
    return protectedTokens(text).every((token) => kept.has(token))
  }),
  property(
    "nothing gets longer but by the numbers of a list",
    [anyText],
    (text) => words(simplify(text)) <= words(text)
  ),
  property(
    "what it makes passes the check that a language model's answers have to pass",
    [plainRules],
    (rules) => {
      const verbose = rules.map(({ sentence }) => `Please note that ${sentence}`).join(" ")
      return judge(verbose, simplify(verbose)).length === 0
    },
    200
  )
]

const listed = (all: ReadonlyArray<string>): string => all.map((one, at) => `${at + 1}. ${one}`).join("\n")

/** What the check of a simplified prompt keeps to. */
export const checkProperties = (judge: ValidateSimplified): ReadonlyArray<Property> => [
  property("a list of the same rules passes in any order", [plainRules], (rules) => {
    const sentences = rules.map(({ sentence }) => sentence)
    return judge(sentences.join(" "), listed(sentences.toReversed())).length === 0
  }),
  property(
    "a rule that is left out is told, and so is each way to spoil one",
    [plainRules, fc.nat()],
    (rules, pick) => {
      const sentences = rules.map(({ sentence }) => sentence)
      const original = sentences.join(" ")
      const at = pick % sentences.length
      const without = sentences.filter((_, position) => position !== at)
      return (
        judge(original, listed(without)).length > 0 &&
        spoiled(sentences[at] ?? "").every((wrong) => judge(original, listed([...without, wrong])).length > 0)
      )
    }
  ),
  property(
    "any two texts are judged, and twice the same",
    [anyText, anyText],
    (one, other) => judge(one, other).join() === judge(one, other).join()
  )
]
