/** How a simulated caller behaves in calls by voice. */
import { type ReactNode, useId } from "react"
import type { PersonalityForm } from "../rules/personalityDraft.js"
import type { DraftForm } from "./DraftForm.js"
import { TextArea, TextField } from "./Form.js"

interface Editing {
  readonly of: DraftForm<PersonalityForm>
}

type Name<Value> = { [K in keyof PersonalityForm]: PersonalityForm[K] extends Value ? K : never }[keyof PersonalityForm]

/** The fields of the request that the form shows errors at. */
export const BEHAVIOR_FIELDS = [
  ...["voice", "pace", "seed"],
  ...["after_seconds", "after_words", "probability", "phrases"].map((name) => `interrupts.${name}`),
  ...["every_seconds", "probability", "phrases"].map((name) => `backchannels.${name}`),
  ...["seconds", "probability"].map((name) => `silences.${name}`),
  ...["gain_db", "noise_db", "second_talker_db", "packet_loss", "jitter_ms"].map((name) => `line.${name}`)
].map((name) => `voice_behavior.${name}`)

const NumberField = ({
  field,
  hint,
  name,
  of,
  path
}: Editing & {
  readonly field: Exclude<Name<string>, "language">
  readonly name: string
  readonly path: string
  readonly hint: string
}) => <TextField name={name} type="number" hint={hint} {...of.bind(field, `voice_behavior.${path}`)} />

const Phrases = ({
  field,
  hint,
  of,
  path
}: Editing & {
  readonly field: "interrupt_phrases" | "backchannel_phrases"
  readonly path: string
  readonly hint: string
}) => <TextArea name="Phrases, one a line" rows={3} hint={hint} {...of.bind(field, `voice_behavior.${path}.phrases`)} />

/** A part of the behavior that is on or off. */
const Part = ({
  children,
  field,
  name,
  of: { form, set }
}: Editing & {
  readonly field: Name<boolean>
  readonly name: string
  readonly children: ReactNode
}) => {
  const id = useId()
  return (
    <div className="item" role="group" aria-labelledby={id}>
      <label className="check">
        <input
          type="checkbox"
          checked={form[field]}
          onChange={() => {
            set({ [field]: !form[field] })
          }}
        />
        <span id={id} className="strong">
          {name}
        </span>
      </label>
      {form[field] ? children : null}
    </div>
  )
}

const SHARE = "0 to 1. Default: 1."

export const BehaviorFields = ({ of }: Editing) => (
  <Part field="has_behavior" name="Behavior in calls by voice" of={of}>
    <div className="form-grid">
      <TextField
        name="Voice"
        hint="Of the text-to-speech server. Blank for its default."
        maxLength={100}
        {...of.bind("voice", "voice_behavior.voice")}
      />
      <NumberField field="pace" path="pace" name="Pace" hint="0.25 to 4. Default: 1." of={of} />
      <NumberField
        field="seed"
        path="seed"
        name="Seed"
        hint="The same seed repeats the random choices. Blank for a new one in every run."
        of={of}
      />
    </div>
    <Part field="interrupts" name="Interrupts the agent" of={of}>
      <div className="form-grid">
        <NumberField
          field="after_seconds"
          path="interrupts.after_seconds"
          name="After seconds of its turn"
          hint="0.1 to 120. Default: 1 if no words are given."
          of={of}
        />
        <NumberField
          field="after_words"
          path="interrupts.after_words"
          name="After words of its turn"
          hint="1 to 200. Whichever comes first."
          of={of}
        />
        <NumberField
          field="interrupt_probability"
          path="interrupts.probability"
          name="Share of turns"
          hint={SHARE}
          of={of}
        />
      </div>
      <Phrases field="interrupt_phrases" path="interrupts" hint="Blank for usual ones, in English." of={of} />
    </Part>
    <Part field="backchannels" name="Back-channels while the agent speaks" of={of}>
      <div className="form-grid">
        <NumberField
          field="every_seconds"
          path="backchannels.every_seconds"
          name="Every so many seconds"
          hint="0.5 to 120. Default: 4."
          of={of}
        />
        <NumberField
          field="backchannel_probability"
          path="backchannels.probability"
          name="Share of these times"
          hint={SHARE}
          of={of}
        />
      </div>
      <Phrases field="backchannel_phrases" path="backchannels" hint="Blank for: Mhm. Uh-huh. Right." of={of} />
    </Part>
    <Part field="silences" name="Is silent before it answers" of={of}>
      <div className="form-grid">
        <NumberField
          field="silence_seconds"
          path="silences.seconds"
          name="Seconds of silence"
          hint="0.1 to 60."
          of={of}
        />
        <NumberField
          field="silence_probability"
          path="silences.probability"
          name="Share of answers"
          hint={SHARE}
          of={of}
        />
      </div>
    </Part>
    <Part field="line" name="Impaired line" of={of}>
      <div className="form-grid">
        <NumberField
          field="gain_db"
          path="line.gain_db"
          name="Amplification in dB"
          hint="-40 to 20. Default: 0."
          of={of}
        />
        <NumberField
          field="noise_db"
          path="line.noise_db"
          name="Noise in dBFS"
          hint="-80 to -10. Blank for none."
          of={of}
        />
        <NumberField
          field="second_talker_db"
          path="line.second_talker_db"
          name="Second talker in dB"
          hint="-60 to 0. Blank for none."
          of={of}
        />
        <NumberField
          field="packet_loss"
          path="line.packet_loss"
          name="Share of frames lost"
          hint="0 to 0.9. Default: 0."
          of={of}
        />
        <NumberField
          field="jitter_ms"
          path="line.jitter_ms"
          name="Jitter in milliseconds"
          hint="0 to 2000. Default: 0."
          of={of}
        />
      </div>
    </Part>
  </Part>
)
