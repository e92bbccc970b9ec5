/** How a simulated caller behaves in calls by voice. */
import { type ReactNode, useId } from "react"
import { fieldMessages } from "../rules/fieldErrors.js"
import type { PersonalityForm } from "../rules/personalityDraft.js"
import { TextArea, TextField } from "./Form.js"

interface Editing {
  readonly form: PersonalityForm
  readonly error: unknown
  readonly set: (change: Partial<PersonalityForm>) => void
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
  error,
  field,
  form,
  hint,
  name,
  path,
  set
}: Editing & {
  readonly field: Exclude<Name<string>, "language">
  readonly name: string
  readonly path: string
  readonly hint: string
}) => (
  <TextField
    name={name}
    type="number"
    hint={hint}
    value={form[field]}
    error={fieldMessages(error, `voice_behavior.${path}`)}
    onChange={(value) => {
      set({ [field]: value })
    }}
  />
)

const Phrases = ({
  error,
  field,
  form,
  hint,
  path,
  set
}: Editing & {
  readonly field: "interrupt_phrases" | "backchannel_phrases"
  readonly path: string
  readonly hint: string
}) => (
  <TextArea
    name="Phrases, one a line"
    rows={3}
    hint={hint}
    value={form[field]}
    error={fieldMessages(error, `voice_behavior.${path}.phrases`)}
    onChange={(value) => {
      set({ [field]: value })
    }}
  />
)

/** A part of the behavior that is on or off. */
const Part = ({
  children,
  field,
  form,
  name,
  set
}: Pick<Editing, "form" | "set"> & {
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

export const BehaviorFields = (editing: Editing) => {
  const { error, form, set } = editing
  return (
    <Part field="has_behavior" name="Behavior in calls by voice" {...editing}>
      <div className="form-grid">
        <TextField
          name="Voice"
          hint="Of the text-to-speech server. Blank for its default."
          value={form.voice}
          maxLength={100}
          error={fieldMessages(error, "voice_behavior.voice")}
          onChange={(voice) => {
            set({ voice })
          }}
        />
        <NumberField field="pace" path="pace" name="Pace" hint="0.25 to 4. Default: 1." {...editing} />
        <NumberField
          field="seed"
          path="seed"
          name="Seed"
          hint="Repeats what chance decides. Blank for another in every run."
          {...editing}
        />
      </div>
      <Part field="interrupts" name="Interrupts the agent" {...editing}>
        <div className="form-grid">
          <NumberField
            field="after_seconds"
            path="interrupts.after_seconds"
            name="After seconds of its turn"
            hint="0.1 to 120. Default: 1 if no words are given."
            {...editing}
          />
          <NumberField
            field="after_words"
            path="interrupts.after_words"
            name="After words of its turn"
            hint="1 to 200. Whichever comes first."
            {...editing}
          />
          <NumberField
            field="interrupt_probability"
            path="interrupts.probability"
            name="Share of turns"
            hint={SHARE}
            {...editing}
          />
        </div>
        <Phrases field="interrupt_phrases" path="interrupts" hint="Blank for usual ones, in English." {...editing} />
      </Part>
      <Part field="backchannels" name="Back-channels while the agent speaks" {...editing}>
        <div className="form-grid">
          <NumberField
            field="every_seconds"
            path="backchannels.every_seconds"
            name="Every so many seconds"
            hint="0.5 to 120. Default: 4."
            {...editing}
          />
          <NumberField
            field="backchannel_probability"
            path="backchannels.probability"
            name="Share of these times"
            hint={SHARE}
            {...editing}
          />
        </div>
        <Phrases field="backchannel_phrases" path="backchannels" hint="Blank for: Mhm. Uh-huh. Right." {...editing} />
      </Part>
      <Part field="silences" name="Is silent before it answers" {...editing}>
        <div className="form-grid">
          <NumberField
            field="silence_seconds"
            path="silences.seconds"
            name="Seconds of silence"
            hint="0.1 to 60."
            {...editing}
          />
          <NumberField
            field="silence_probability"
            path="silences.probability"
            name="Share of answers"
            hint={SHARE}
            {...editing}
          />
        </div>
      </Part>
      <Part field="line" name="Impaired line" {...editing}>
        <div className="form-grid">
          <NumberField
            field="gain_db"
            path="line.gain_db"
            name="Amplification in dB"
            hint="-40 to 20. Default: 0."
            {...editing}
          />
          <NumberField
            field="noise_db"
            path="line.noise_db"
            name="Noise in dBFS"
            hint="-80 to -10. Blank for none."
            {...editing}
          />
          <NumberField
            field="second_talker_db"
            path="line.second_talker_db"
            name="Second talker in dB"
            hint="-60 to 0. Blank for nobody."
            {...editing}
          />
          <NumberField
            field="packet_loss"
            path="line.packet_loss"
            name="Share of frames lost"
            hint="0 to 0.9. Default: 0."
            {...editing}
          />
          <NumberField
            field="jitter_ms"
            path="line.jitter_ms"
            name="Jitter in milliseconds"
            hint="0 to 2000. Default: 0."
            {...editing}
          />
        </div>
      </Part>
    </Part>
  )
}
