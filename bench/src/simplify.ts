/**
 * What the simplifier without a language model costs: microseconds of processor time a kilobyte, for prompts of three
 * lengths. In line with length, the three are alike.
 *
 *   pnpm bench simplify
 */
import { faultsOfSimplified, simplifyPrompt } from "@earshot/core"

export const name = "simplify"

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

const ROUNDS = 15

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Microseconds of processor time that a step takes, over enough repetitions to be told from none. */
const microsOf = (step: () => unknown, times: number): number => {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) step()
  const { system, user } = process.cpuUsage(before)
  return (user + system) / times
}

export const run = (): Promise<void> => {
  const sizes = [5, 20, 80].map((kilobytes) => ({ kilobytes, prompt: promptOf(kilobytes * 1024) }))
  for (const { prompt } of sizes) microsOf(() => simplifyPrompt(prompt), 10)
  const costs = new Map(sizes.map(({ kilobytes }) => [kilobytes, { simplify: [0], check: [0] }]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { kilobytes, prompt } of sizes) {
      const shorter = simplifyPrompt(prompt)
      const cost = costs.get(kilobytes)
      const times = Math.ceil(160 / kilobytes)
      cost?.simplify.push(microsOf(() => simplifyPrompt(prompt), times) / kilobytes)
      cost?.check.push(microsOf(() => faultsOfSimplified(prompt, shorter), Math.ceil(times / 4)) / kilobytes)
    }
  }
  for (const { kilobytes, prompt } of sizes) {
    const cost = costs.get(kilobytes)
    const left = (simplifyPrompt(prompt).length / prompt.length) * 100
    console.log(
      `${String(kilobytes).padStart(3)} KB: ${median(cost?.simplify.slice(1) ?? []).toFixed(1)} microseconds a KB, ` +
        `${left.toFixed(0)} % left; the check of an answer ${median(cost?.check.slice(1) ?? []).toFixed(1)} microseconds a KB`
    )
  }
  return Promise.resolve()
}
