import type { CallText } from "../CallText.js"
import { type Cue, nearestCue } from "../Cues.js"
import { type Candidate, candidate } from "../Span.js"
import type { Run } from "../SpokenNumbers.js"
import { matchClasses } from "../Tokens.js"

export const classPatterns = {
  /** "$1,200.50", "€ 5 million" */
  signed: /\$N(?:,N){0,6}(?:\.N)?[kl]?(?:[GC])?/g,
  /** "two hundred and fifty dollars and thirty cents", "20 bucks", "1,200.50 USD" */
  named:
    /(?:[dtyzN]|[hkla](?![^hklCGdtyz]))(?:[dtyzNhkl]|&(?=[dtyzh])|,(?=N)|\.(?=N)|o(?=d)){0,24}-?(?:qC|C(?:&?[dtyz](?:d)?C?)?|G)/g,
  /** "USD 500" */
  code: /CN(?:,N){0,6}(?:\.N)?/g
} as const

/** Amounts of money: with a currency, or a bare number that a word such as "balance" or "salary" announces. */
export const moneyCandidates = (
  call: CallText,
  runs: ReadonlyArray<Run>,
  cues: ReadonlyArray<Cue>
): ReadonlyArray<Candidate> => {
  const { tokens } = call
  const { all } = tokens
  const found: Array<Candidate> = []
  const put = (from: number, to: number, score: number, ...why: ReadonlyArray<string>): void => {
    found.push(candidate("money", all[from]?.start ?? 0, all[to - 1]?.end ?? 0, score, ...why))
  }
  const isPlainPound = (from: number, to: number): boolean => {
    // "I weigh 180 pounds", "lost ten pounds": mass, not money.
    const last = all[to - 1]?.lower
    if (last !== "pounds" && last !== "pound") return false
    for (let at = Math.max(0, from - 6); at < from; at++)
      if (/^(weigh|weighs|weighed|weight|lost|gained|lose|gain|lift|heavy)$/.test(all[at]?.lower ?? "")) return true
    return /^(heavy|overweight|of|heavier|lighter|weight)$/.test(all[to]?.lower ?? "")
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.signed)) put(from, to, 0.95, "currency sign")
  for (const { from, to } of matchClasses(tokens, classPatterns.named))
    if (!isPlainPound(from, to)) put(from, to, 0.93, "currency word")
  for (const { from, to } of matchClasses(tokens, classPatterns.code)) {
    if (/^(USD|EUR|GBP)$/.test(all[from]?.text ?? "")) put(from, to, 0.93, "currency code")
  }
  for (const run of runs) {
    if (run.digits !== run.chars.length || run.digits < 2 || run.digits > 9) continue
    const weighed = nearestCue(call, cues, run.from, run.to, (cue) => cue.strength > 0)
    const next = all[run.to]
    if (weighed?.cue.field !== "money" || weighed.side !== "before" || weighed.distance > 5) continue
    if (next !== undefined && /^[uA%]$/.test(next.cls)) continue
    if (
      next?.cls === "w" &&
      /^(percent|times|items|people|miles|units|points|tickets|calls|kids|guests)$/.test(next.lower)
    )
      continue
    put(run.from, run.to, weighed.weight * 0.9, `cue "${weighed.cue.phrase}"`)
  }
  return found
}
