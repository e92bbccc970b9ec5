/** How long each stage took between the end of a user's turn and the agent's answer, as platforms measure it. */

/**
 * The stages, in their order:
 *
 * - `endpointing`: from the end of the user's speech until the turn is taken to be over
 * - `speech_to_text`: until its transcript is final
 * - `model_first_token`: from the request to the language model until its first token
 * - `text_to_speech_first_byte`: from the first text to the speech synthesis until its first audio
 * - `tool`: the tools that were called for the answer, together
 * - `end_to_end`: from the end of the user's speech until the agent is heard
 */
export const timingStages = [
  "endpointing",
  "speech_to_text",
  "model_first_token",
  "text_to_speech_first_byte",
  "tool",
  "end_to_end"
] as const
export type TimingStage = (typeof timingStages)[number]

/** One measurement. */
export interface StageTiming {
  readonly seconds: number
  /** Where it comes from: the platform's name of the value, such as `turnLatencies.modelLatency`. Never a text of the call. */
  readonly source: string
}

/** The measured stages of one turn. A stage that was not measured is absent, never 0. */
export type TurnTiming = { readonly [Stage in TimingStage]?: StageTiming }

/** The longest time of a stage in seconds, and the longest name of a source in characters. */
export const MAX_STAGE_SECONDS = 3_600
export const MAX_SOURCE_LENGTH = 64

/** Whether a platform's value is a stage's time in seconds. Anything else is ignored, since it is beside the call itself. */
export const isStageTime = (seconds: unknown): seconds is number =>
  typeof seconds === "number" && seconds >= 0 && seconds <= MAX_STAGE_SECONDS

/** The stages with a valid time, in their order; undefined if there are none. Times are rounded to microseconds. */
export const timingOf = (
  measured: ReadonlyArray<readonly [stage: TimingStage, seconds: unknown, source: string]>
): TurnTiming | undefined => {
  const timing: { [Stage in TimingStage]?: StageTiming } = {}
  let isEmpty = true
  for (const stage of timingStages) {
    const found = measured.find(([one, seconds]) => one === stage && isStageTime(seconds))
    if (found === undefined || !isStageTime(found[1])) continue
    timing[stage] = { seconds: Math.round(found[1] * 1e6) / 1e6, source: found[2] }
    isEmpty = false
  }
  return isEmpty ? undefined : timing
}

/** The timing of a turn, as the turn that is made from its own has it. */
export const timedBy = (timing: TurnTiming | undefined): { readonly timing?: TurnTiming } =>
  timing === undefined ? {} : { timing }

/** A platform's number of milliseconds as seconds; anything else stays what it is and is ignored. */
export const fromMilliseconds = (value: unknown): unknown => (typeof value === "number" ? value / 1000 : value)

/** The measurements of both; of a stage that both have, the first one's. */
export const joinTimings = (first: TurnTiming | undefined, second: TurnTiming | undefined): TurnTiming | undefined =>
  first === undefined ? second : { ...second, ...first }

/**
 * Which turns a platform's list of measurements, one for each answer of the agent, belongs to. An answer is the first turn of the
 * agent after the user has spoken. A list that is as long as there are turns of the agent has one for each of those, the
 * greeting included. Measurements beyond the last answer are left out.
 *
 * @param isAgent whether each turn is the agent's
 * @returns the positions of turns, in the order of the list
 */
export const measuredTurns = (isAgent: ReadonlyArray<boolean>, listed: number): ReadonlyArray<number> => {
  const agent = isAgent.flatMap((own, position) => (own ? [position] : []))
  const answers = agent.filter((position) => position > 0 && isAgent[position - 1] === false)
  return listed > answers.length && listed === agent.length ? agent : answers.slice(0, listed)
}
