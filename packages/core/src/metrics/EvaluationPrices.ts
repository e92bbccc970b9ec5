import { fromMicros, noCredits } from "../kernel/Credits.js"

/** Credits per evaluation, by how the value is computed. */
export const evaluationPrices = {
  /** A formula over a transcript that is stored already. */
  formula: noCredits,
  /** Custom code in the sandbox. */
  code: fromMicros(5_000n),
  /** A question to a language model. */
  judge: fromMicros(50_000n)
} as const
