import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"

/** Impairments of the audio that a simulated caller sends. */
export const CallerLine = Schema.Struct({
  /** Amplification of its voice in decibels; negative to attenuate. */
  gain_db: Schema.Number,
  /** The level of a noise bed in decibels relative to full scale; null for none. */
  noise_db: Schema.NullOr(Schema.Number),
  /** The level of somebody else who speaks, in decibels relative to the synthesized voice; null for nobody. */
  second_talker_db: Schema.NullOr(Schema.Number),
  /** The share of frames whose audio is lost. */
  packet_loss: Schema.Number,
  /** The most milliseconds by which frames are late. */
  jitter_ms: Schema.Number
}).annotations({ identifier: "CallerLine" })
export type CallerLine = typeof CallerLine.Type

/** How a simulated caller behaves in calls by voice. The names are those of the wire form. */
export const VoiceBehavior = Schema.Struct({
  /** A voice of the text-to-speech server; null for its default. */
  voice: Schema.NullOr(Schema.String),
  /** The pace of speech, where 1 is that of the voice. */
  pace: Schema.Number,
  /** Speaks while the agent speaks; null for never. */
  interrupts: Schema.NullOr(
    Schema.Struct({
      /** Seconds of the agent's turn after which it is interrupted; null where words decide. */
      after_seconds: Schema.NullOr(Schema.Number),
      /** Words of the agent's turn after which it is interrupted; null where seconds decide. The first of both decides. */
      after_words: Schema.NullOr(Schema.Int),
      /** The share of the agent's turns that are interrupted. */
      probability: Schema.Number,
      phrases: Schema.Array(Schema.String)
    })
  ),
  /** Shows that it listens while the agent speaks; null for never. */
  backchannels: Schema.NullOr(
    Schema.Struct({
      every_seconds: Schema.Number,
      /** The share of these times at which it does. */
      probability: Schema.Number,
      phrases: Schema.Array(Schema.String)
    })
  ),
  /** Is silent before it answers; null for never. */
  silences: Schema.NullOr(
    Schema.Struct({
      seconds: Schema.Number,
      /** The share of its answers. */
      probability: Schema.Number
    })
  ),
  /** Impairments of what the agent hears of it; null for none. */
  line: Schema.NullOr(CallerLine),
  /** What chance is drawn from: the same seed repeats a run's behavior. Null draws a seed for every run. */
  seed: Schema.NullOr(Schema.Int)
}).annotations({ identifier: "VoiceBehavior" })
export type VoiceBehavior = typeof VoiceBehavior.Type

/** A behavior whose seed is drawn. */
export type SeededBehavior = VoiceBehavior & { readonly seed: number }

/** The largest seed. */
export const MAX_SEED = 2 ** 31 - 1

/** When an interruption comes that states neither seconds nor words. */
const AFTER_SECONDS = 1

const INTERRUPTIONS = ["Sorry, one moment.", "Wait a second.", "Can I say something?"]
const BACKCHANNELS = ["Mhm.", "Uh-huh.", "Right."]

const orNull = <A, I>(field: Schema.Schema<A, I>) => Fields.withDefault(Fields.nullable(field), null)
const probability = Fields.withDefault(Fields.numberWithin({ min: 0, max: 1 }), 1)
const phrases = Fields.list(Fields.text({ max: 200, blank: false }), { min: 1, max: 20 })

/** A behavior as it is sent; what is left out has its default, and unknown keys are ignored. */
const BehaviorInput = Fields.object({
  voice: orNull(Fields.text({ max: 100, blank: false })),
  pace: Fields.withDefault(Fields.numberWithin({ min: 0.25, max: 4 }), 1),
  interrupts: orNull(
    Fields.object({
      after_seconds: orNull(Fields.numberWithin({ min: 0.1, max: 120 })),
      after_words: orNull(Fields.integer({ min: 1, max: 200 })),
      probability,
      phrases: Fields.withDefault(phrases, INTERRUPTIONS)
    })
  ),
  backchannels: orNull(
    Fields.object({
      every_seconds: Fields.withDefault(Fields.numberWithin({ min: 0.5, max: 120 }), 4),
      probability,
      phrases: Fields.withDefault(phrases, BACKCHANNELS)
    })
  ),
  silences: orNull(Fields.object({ seconds: Fields.numberWithin({ min: 0.1, max: 60 }), probability })),
  line: orNull(
    Fields.object({
      gain_db: Fields.withDefault(Fields.numberWithin({ min: -40, max: 20 }), 0),
      noise_db: orNull(Fields.numberWithin({ min: -80, max: -10 })),
      second_talker_db: orNull(Fields.numberWithin({ min: -60, max: 0 })),
      packet_loss: Fields.withDefault(Fields.numberWithin({ min: 0, max: 0.9 }), 0),
      jitter_ms: Fields.withDefault(Fields.numberWithin({ min: 0, max: 2000 }), 0)
    })
  ),
  seed: orNull(Fields.integer({ min: 0, max: MAX_SEED }))
})

/** The field of drafts and patches; an interruption without a time comes after a second. */
export const voiceBehavior = Fields.nullable(
  Schema.transform(BehaviorInput, Schema.typeSchema(VoiceBehavior), {
    strict: true,
    decode: ({ interrupts, ...rest }) => ({
      ...rest,
      interrupts:
        interrupts?.after_seconds === null && interrupts.after_words === null
          ? { ...interrupts, after_seconds: AFTER_SECONDS }
          : interrupts
    }),
    encode: (behavior) => behavior
  })
)
