/** A personality as its form holds it, and as the API takes it. */
import type { components } from "@earshot/client"
import type { Language } from "./languages.js"

type Schemas = components["schemas"]
type Personality = Schemas["Personality"]
type Behavior = Schemas["VoiceBehavior"]
type BehaviorInput = NonNullable<Schemas["PersonalityDraft"]["voice_behavior"]>

/** Numbers are texts as they are typed, blank for the default; phrases are one a line. Groups that are off have no effect. */
export interface PersonalityForm {
  readonly name: string
  readonly language: Language
  readonly description: string
  /** Whether it states how it behaves by voice. */
  readonly has_behavior: boolean
  readonly voice: string
  readonly pace: string
  readonly seed: string
  readonly interrupts: boolean
  readonly after_seconds: string
  readonly after_words: string
  readonly interrupt_probability: string
  readonly interrupt_phrases: string
  readonly backchannels: boolean
  readonly every_seconds: string
  readonly backchannel_probability: string
  readonly backchannel_phrases: string
  readonly silences: boolean
  readonly silence_seconds: string
  readonly silence_probability: string
  readonly line: boolean
  readonly gain_db: string
  readonly noise_db: string
  readonly second_talker_db: string
  readonly packet_loss: string
  readonly jitter_ms: string
}

const text = (value: number | null | undefined): string => (value === null || value === undefined ? "" : String(value))

const linesOf = (phrases: ReadonlyArray<string> | undefined): string => phrases?.join("\n") ?? ""

const interruptionsOf = (interrupts: Behavior["interrupts"]) => ({
  interrupts: interrupts !== null,
  after_seconds: text(interrupts?.after_seconds),
  after_words: text(interrupts?.after_words),
  interrupt_probability: text(interrupts?.probability),
  interrupt_phrases: linesOf(interrupts?.phrases)
})

const backchannelsOf = (backchannels: Behavior["backchannels"]) => ({
  backchannels: backchannels !== null,
  every_seconds: text(backchannels?.every_seconds),
  backchannel_probability: text(backchannels?.probability),
  backchannel_phrases: linesOf(backchannels?.phrases)
})

const silencesOf = (silences: Behavior["silences"]) => ({
  silences: silences !== null,
  silence_seconds: text(silences?.seconds ?? 2),
  silence_probability: text(silences?.probability)
})

const lineOf = (line: Behavior["line"]) => ({
  line: line !== null,
  gain_db: text(line?.gain_db),
  noise_db: text(line?.noise_db),
  second_talker_db: text(line?.second_talker_db),
  packet_loss: text(line?.packet_loss),
  jitter_ms: text(line?.jitter_ms)
})

const noPersonality = { name: "", language: "en", description: "", voice_behavior: null } as const

export const personalityFormOf = (
  personality: Pick<Personality, "name" | "language" | "description" | "voice_behavior"> = noPersonality
): PersonalityForm => {
  const { description, language, name, voice_behavior: behavior } = personality
  return {
    name,
    language,
    description,
    has_behavior: behavior !== null,
    voice: behavior?.voice ?? "",
    pace: text(behavior?.pace),
    seed: text(behavior?.seed),
    ...interruptionsOf(behavior?.interrupts ?? null),
    ...backchannelsOf(behavior?.backchannels ?? null),
    ...silencesOf(behavior?.silences ?? null),
    ...lineOf(behavior?.line ?? null)
  }
}

/** A number as it is typed under its name; nothing for the default. */
const stated = <Name extends string>(name: Name, typed: string): { readonly [name in Name]?: number } => {
  const value = typed.trim()
  // eslint-disable-next-line typescript/consistent-type-assertions -- a computed key of a literal type is that type
  return (value === "" ? {} : { [name]: Number(value) }) as { readonly [name in Name]?: number }
}

const phrasesIn = (typed: string): { readonly phrases?: Array<string> } => {
  const phrases = typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return phrases.length === 0 ? {} : { phrases }
}

const behaviorOf = (form: PersonalityForm): BehaviorInput => ({
  voice: form.voice.trim() === "" ? null : form.voice.trim(),
  ...stated("pace", form.pace),
  interrupts: form.interrupts
    ? {
        ...stated("after_seconds", form.after_seconds),
        ...stated("after_words", form.after_words),
        ...stated("probability", form.interrupt_probability),
        ...phrasesIn(form.interrupt_phrases)
      }
    : null,
  backchannels: form.backchannels
    ? {
        ...stated("every_seconds", form.every_seconds),
        ...stated("probability", form.backchannel_probability),
        ...phrasesIn(form.backchannel_phrases)
      }
    : null,
  silences: form.silences
    ? { seconds: Number(form.silence_seconds), ...stated("probability", form.silence_probability) }
    : null,
  line: form.line
    ? {
        ...stated("gain_db", form.gain_db),
        ...stated("noise_db", form.noise_db),
        ...stated("second_talker_db", form.second_talker_db),
        ...stated("packet_loss", form.packet_loss),
        ...stated("jitter_ms", form.jitter_ms)
      }
    : null,
  ...stated("seed", form.seed)
})

export const personalityBodyOf = (form: PersonalityForm) => ({
  name: form.name,
  language: form.language,
  description: form.description,
  voice_behavior: form.has_behavior ? behaviorOf(form) : null
})

/** What a behavior does, in a few words. */
export const behaviorSummary = (behavior: Behavior | null): ReadonlyArray<string> =>
  behavior === null
    ? []
    : [
        ...(behavior.voice === null ? [] : [`voice ${behavior.voice}`]),
        ...(behavior.pace === 1 ? [] : [`pace ${behavior.pace}`]),
        ...(behavior.interrupts === null ? [] : ["interrupts"]),
        ...(behavior.backchannels === null ? [] : ["back-channels"]),
        ...(behavior.silences === null ? [] : ["silences"]),
        ...(behavior.line === null ? [] : ["impaired line"])
      ]
