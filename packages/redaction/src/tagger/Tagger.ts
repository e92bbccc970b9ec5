import type { CallText } from "../CallText.js"
import type { Steps } from "../Steps.js"
import packed from "../data/tagger.json" with { type: "json" }
import { type Candidate, candidate } from "../TextSpan.js"
import { type SensitiveField, sensitiveFields } from "../SensitiveField.js"
import { FEATURES, featuresOf } from "./Features.js"
import { LABELS, type Model, taggerLabels, unpackModel } from "./Model.js"

let loaded: Model | undefined

/**
 * The shipped model, unpacked at the first use (about 30 ms) and kept. Its weights are a JSON module of one base64 text:
 * Node loads it beside the compiled files (2 ms), and a bundler inlines it.
 */
export const shippedModel = (): Model => (loaded ??= unpackModel(packed.packed))

/** Longest stretch judged at once; a turn that is longer is judged in pieces. */
const MAX_STRETCH = 400

/**
 * How likely each token of a stretch is each label, by the forward and backward passes of the field; `LABELS` numbers
 * a token, which sum to 1. Undefined where nothing in the stretch comes near to being claimed.
 */
export const marginals = (model: Model, rows: Int32Array, length: number): Float64Array | undefined => {
  const { step, transitions, weights } = model
  const sums = new Int32Array(length * LABELS)
  let best = -Infinity
  for (let i = 0; i < length; i++) {
    const at = i * LABELS
    for (let f = i * FEATURES; f < (i + 1) * FEATURES; f++) {
      const row = (rows[f] ?? 0) * LABELS
      for (let label = 0; label < LABELS; label++)
        sums[at + label] = (sums[at + label] ?? 0) + (weights[row + label] ?? 0)
    }
    const none = sums[at] ?? 0
    for (let label = 1; label < LABELS; label++) best = Math.max(best, (sums[at + label] ?? 0) - none)
  }
  if (best * step < HOPELESS) return undefined
  return forwardBackward(
    Float64Array.from(sums, (sum) => sum * step),
    transitions,
    length
  )
}

/** A stretch whose every token is this much likelier to be nothing than anything else needs no further reading. */
const HOPELESS = -5

export const forwardBackward = (scores: Float64Array, transitions: Float32Array, length: number): Float64Array => {
  const step = new Float64Array(LABELS * LABELS)
  for (let i = 0; i < step.length; i++) step[i] = Math.exp(transitions[i] ?? 0)
  const emit = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    let top = -Infinity
    for (let label = 0; label < LABELS; label++) top = Math.max(top, scores[i * LABELS + label] ?? 0)
    for (let label = 0; label < LABELS; label++)
      emit[i * LABELS + label] = Math.exp((scores[i * LABELS + label] ?? 0) - top)
  }
  const forward = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let label = 0; label < LABELS; label++) {
      let reach = 1
      if (i > 0) {
        reach = 0
        for (let from = 0; from < LABELS; from++)
          reach += (forward[(i - 1) * LABELS + from] ?? 0) * (step[from * LABELS + label] ?? 0)
      }
      const value = reach * (emit[i * LABELS + label] ?? 0)
      forward[i * LABELS + label] = value
      sum += value
    }
    for (let label = 0; label < LABELS; label++) forward[i * LABELS + label] = (forward[i * LABELS + label] ?? 0) / sum
  }
  const out = new Float64Array(length * LABELS)
  const backward = new Float64Array(LABELS).fill(1)
  const before = new Float64Array(LABELS)
  for (let i = length - 1; i >= 0; i--) {
    let sum = 0
    for (let label = 0; label < LABELS; label++) {
      const value = (forward[i * LABELS + label] ?? 0) * (backward[label] ?? 0)
      out[i * LABELS + label] = value
      sum += value
    }
    for (let label = 0; label < LABELS; label++) out[i * LABELS + label] = (out[i * LABELS + label] ?? 0) / sum
    let total = 0
    for (let from = 0; from < LABELS; from++) {
      let value = 0
      for (let label = 0; label < LABELS; label++)
        value += (step[from * LABELS + label] ?? 0) * (emit[i * LABELS + label] ?? 0) * (backward[label] ?? 0)
      before[from] = value
      total += value
    }
    for (let from = 0; from < LABELS; from++) backward[from] = (before[from] ?? 0) / total
  }
  return out
}

const fields = taggerLabels.map((label) => sensitiveFields.find((field) => field === label.replace("+", "")))
const fieldOf = (label: number): SensitiveField | undefined => fields[label]
const isEveryday = taggerLabels.map((label) => label.endsWith("+"))

const TITLES = /^(mr|mrs|ms|miss|mx|dr|doctor|prof|professor)$/

/** How likely a token must be part of any field, and of which field most likely, before it is claimed. */
export interface TaggerThresholds {
  readonly plain: number
  readonly everyday: number
}

export const defaultThresholds: TaggerThresholds = { plain: 0.42, everyday: 0.4 }

/** How many tokens are tagged in one step. */
const STEP = 4096

/**
 * Names, places, dates, times, occupations and events by the statistical tagger. With `everyday` its everyday labels
 * count too. `seen` remembers turns by their text, so that a call read twice is tagged once.
 */
export function* taggerCandidates(
  call: CallText,
  everyday: boolean,
  model: Model = shippedModel(),
  thresholds: TaggerThresholds = defaultThresholds,
  seen = new Map<string, ReadonlyArray<Candidate>>()
): Steps<ReadonlyArray<Candidate>> {
  const { all } = call.tokens
  const found: Array<Candidate> = []
  let breath = STEP
  for (let from = 0; from < all.length;) {
    if (from >= breath) {
      yield
      breath = from + STEP
    }
    let to = from
    while (to < all.length && to - from < MAX_STRETCH && call.turnOf[to] === call.turnOf[from]) to++
    const length = to - from
    const base = all[from]?.start ?? 0
    const text = call.text.slice(base, all[to - 1]?.end)
    const known = seen.get(text)
    if (known !== undefined) {
      for (const one of known) found.push({ ...one, start: one.start + base, end: one.end + base })
      from = to
      continue
    }
    const first = found.length
    const likely = marginals(model, featuresOf(call.tokens, from, to, model.sets), length)
    if (likely === undefined) {
      seen.set(text, [])
      from = to
      continue
    }
    let open: { label: number; from: number; sum: number; everyday: boolean } | undefined
    const close = (end: number): void => {
      if (open === undefined) return
      const field = fieldOf(open.label)
      // Marks at either end are no part of a name.
      let first = open.from
      let last = end
      while (first < last && /^[^\p{L}\p{N}$#+(]$/u.test(all[first]?.text ?? "")) first++
      while (last > first && /^[^\p{L}\p{N}]$/u.test(all[last - 1]?.text ?? "")) last--
      // Names are kept without titles.
      if (field === "person_name")
        while (last - first > 1 && (TITLES.test(all[first]?.lower ?? "") || all[first]?.text === ".")) first++
      if (field !== undefined && last > first) {
        const mean = open.sum / (end - open.from)
        const one = candidate(
          field,
          all[first]?.start ?? 0,
          all[last - 1]?.end ?? 0,
          Math.min(0.9, 0.5 + mean * 0.4),
          `tagger ${mean.toFixed(2)}`
        )
        found.push(open.everyday ? { ...one, everyday: true } : one)
      }
      open = undefined
    }
    for (let i = 0; i < length; i++) {
      let best = 0
      let bestShare = 0
      let total = 0
      for (let label = 1; label < LABELS; label++) {
        if (isEveryday[label] === true && !everyday) continue
        const share = likely[i * LABELS + label] ?? 0
        total += share
        if (share > bestShare) {
          bestShare = share
          best = label
        }
      }
      const claimed =
        total >= (everyday ? thresholds.everyday : thresholds.plain) &&
        all[from + i]?.cls !== "P" &&
        all[from + i]?.cls !== "n"
      if (!claimed) close(from + i)
      else {
        if (open !== undefined && fieldOf(open.label) !== fieldOf(best)) close(from + i)
        open ??= { label: best, from: from + i, sum: 0, everyday: true }
        open.sum += total
        if (isEveryday[best] !== true) open.everyday = false
      }
    }
    close(to)
    seen.set(
      text,
      found.slice(first).map((one) => ({ ...one, start: one.start - base, end: one.end - base }))
    )
    from = to
  }
  return found
}
