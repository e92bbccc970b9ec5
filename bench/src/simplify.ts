/**
 * The rule-based prompt simplifier: microseconds of processor time per kilobyte for prompts of three lengths. If the time
 * grows linearly with the length, the three are equal.
 */
import { validateSimplified, simplifyPrompt } from "@earshot/core"

import { benchmark } from "./Benchmark.js"
import { median } from "./measure.js"

interface Size {
  readonly kilobytes: ReadonlyArray<number>
  readonly rounds: number
  /** The simplifier runs this many times the kilobytes of a prompt per round, divided by its size. */
  readonly kilobytesPerRound: number
}

const SUBJECTS = ["greeting", "booking", "refund", "complaint", "transfer", "password", "invoice", "delivery"] as const

/** A section of a verbose prompt: filler, conditions in prose, a list, quoted texts, placeholders and repetition. */
const section = (number: number): string => {
  const subject = SUBJECTS[number % SUBJECTS.length] ?? "call"
  return [
    `## Part ${number}: the ${subject}`,
    `Please note that it is very important to listen carefully to the ${subject} in order to judge it. Thank you!`,
    `If the ${subject} takes more than ${number + 3} seconds, please return FALSE. When the agent does not confirm the ` +
      `${subject} by saying "Is that right?", return FALSE. Otherwise, please make sure that you return TRUE.`,
    `Please make sure that the agent never mentions {{${subject}_${number}}} to a stranger. Make sure that the agent ` +
      `never mentions {{${subject}_${number}}} to a stranger.`,
    `- Basically, the ${subject} is complete at ${(number * 7) % 100}% or more.`,
    `- The reason is one of \`hang_up\`, \`transfer\` or \`other_${number}\`, and it is not blank.`,
    ""
  ].join("\n")
}

const promptOf = (characters: number): string => {
  let prompt = ""
  for (let number = 1; prompt.length < characters; number++) prompt += section(number)
  return prompt.slice(0, characters)
}

/** Microseconds of processor time per repetition. */
const microsOf = (step: () => unknown, times: number): number => {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) step()
  const { system, user } = process.cpuUsage(before)
  return (user + system) / times
}

export const simplifyBenchmark = benchmark<Size>({
  name: "simplify",
  full: { kilobytes: [5, 20, 80], rounds: 15, kilobytesPerRound: 160 },
  tiny: { kilobytes: [1, 2], rounds: 1, kilobytesPerRound: 4 },
  run: (size, { print }) => {
    const prompts = size.kilobytes.map((kilobytes) => ({ kilobytes, prompt: promptOf(kilobytes * 1024) }))
    for (const { prompt } of prompts) microsOf(() => simplifyPrompt(prompt), 10)
    const costs = new Map(size.kilobytes.map((kilobytes) => [kilobytes, { simplify: [0], validate: [0] }]))
    for (let round = 0; round < size.rounds; round++) {
      for (const { kilobytes, prompt } of prompts) {
        const simplified = simplifyPrompt(prompt)
        const cost = costs.get(kilobytes)
        const times = Math.ceil(size.kilobytesPerRound / kilobytes)
        cost?.simplify.push(microsOf(() => simplifyPrompt(prompt), times) / kilobytes)
        cost?.validate.push(microsOf(() => validateSimplified(prompt, simplified), Math.ceil(times / 4)) / kilobytes)
      }
    }
    const [first] = size.kilobytes.map((kilobytes) => median(costs.get(kilobytes)?.simplify.slice(1) ?? []))
    print("simplifying prompts, microseconds of processor time per KB; ratio to the shortest prompt")
    for (const { kilobytes, prompt } of prompts) {
      const cost = costs.get(kilobytes)
      const simplify = median(cost?.simplify.slice(1) ?? [])
      const remaining = (simplifyPrompt(prompt).length / prompt.length) * 100
      print(
        `  ${String(kilobytes).padStart(3)} KB: simplify ${simplify.toFixed(1)}, ratio ${(simplify / (first ?? simplify)).toFixed(2)}, ` +
          `validate a result ${median(cost?.validate.slice(1) ?? []).toFixed(1)}; ${remaining.toFixed(0)} % of the length remains`
      )
    }
    return Promise.resolve()
  }
})
