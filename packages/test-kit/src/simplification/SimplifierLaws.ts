/** What a simplifier of prompts has to keep to, whatever it is made of. */
import { faultsOfSimplified, protectedTokens } from "@earshot/core"
import * as fc from "fast-check"
import { anyText, plainRules, prompt, spoiled } from "./PromptArbitraries.js"

/** A simplifier that needs nobody. */
export type Simplify = (prompt: string) => string

/** The same prompt again changes nothing. */
export const isIdempotent = (simplify: Simplify) =>
  fc.property(anyText, (text) => {
    const once = simplify(text)
    return simplify(once) === once
  })

/** Every protected token of the original is in what is left. */
export const keepsTokens = (simplify: Simplify) =>
  fc.property(prompt, (text) => {
    const kept = new Set(protectedTokens(simplify(text)))
    return protectedTokens(text).every((token) => kept.has(token))
  })

/** It makes nothing longer but by the numbers of a list. */
export const isShorter = (simplify: Simplify) =>
  fc.property(anyText, (text) => {
    const words = (one: string) => one.replace(/^\d+\. /gm, "").length
    return words(simplify(text)) <= words(text)
  })

/** What it makes passes the check that a language model's answers have to pass. */
export const passesTheCheck = (simplify: Simplify) =>
  fc.property(plainRules, (rules) => {
    const verbose = rules.map(({ sentence }) => `Please note that ${sentence}`).join(" ")
    return faultsOfSimplified(verbose, simplify(verbose)).length === 0
  })

/** The check itself: a list of rules passes in any order, and fails with one rule spoiled or left out. */
export const checkFindsWhatIsLost = fc.property(plainRules, fc.nat(), (rules, pick) => {
  const sentences = rules.map(({ sentence }) => sentence)
  const original = sentences.join(" ")
  const listed = (all: ReadonlyArray<string>) => all.map((one, at) => `${at + 1}. ${one}`).join("\n")
  if (faultsOfSimplified(original, listed(sentences.toReversed())).length > 0) return false
  const at = pick % sentences.length
  const without = sentences.filter((_, position) => position !== at)
  return (
    faultsOfSimplified(original, listed(without)).length > 0 &&
    spoiled(sentences[at] ?? "").every((wrong) => faultsOfSimplified(original, listed([...without, wrong])).length > 0)
  )
})
