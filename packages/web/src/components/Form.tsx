/** Fields of forms with their errors, and the dialog of a form. */
import { type ReactNode, useId } from "react"
import { isPlaced } from "../rules/fieldErrors.js"
import { Dialog } from "./Dialog.js"
import { ErrorNotice } from "./Feedback.js"

interface Labelled {
  readonly name: string
  readonly error?: string | undefined
  readonly hint?: ReactNode
}

/** What connects a control with its label, hint and error. */
interface Connected {
  readonly id: string
  readonly className: string
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string | undefined
}

/** A label above a control, and what is wrong with its value below it. */
export const Field = ({
  name,
  error,
  hint,
  children
}: Labelled & { readonly children: (attributes: Connected) => ReactNode }) => {
  const id = useId()
  const described = error !== undefined ? `${id}-error` : hint === undefined ? undefined : `${id}-hint`
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {name}
      </label>
      {children({ id, className: "input", "aria-invalid": error !== undefined, "aria-describedby": described })}
      {error === undefined ? (
        hint === undefined ? null : (
          <span id={`${id}-hint`} className="hint">
            {hint}
          </span>
        )
      ) : (
        <span id={`${id}-error`} className="field-error plain" role="alert">
          {error}
        </span>
      )}
    </div>
  )
}

export const TextField = ({
  value,
  onChange,
  type = "text",
  maxLength,
  placeholder,
  list,
  ...labelled
}: Labelled & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: "text" | "number" | "date"
  readonly maxLength?: number
  readonly placeholder?: string
  readonly list?: string
}) => (
  <Field {...labelled}>
    {(attributes) => (
      <input
        {...attributes}
        type={type}
        value={value}
        maxLength={maxLength}
        placeholder={placeholder}
        list={list}
        onChange={(event) => {
          onChange(event.target.value)
        }}
      />
    )}
  </Field>
)

/** A secret, hidden while it is typed. It is no password of this site, so that browsers offer none. */
export const SecretField = ({
  value,
  onChange,
  ...labelled
}: Labelled & { readonly value: string; readonly onChange: (value: string) => void }) => (
  <Field {...labelled}>
    {(attributes) => (
      <input
        {...attributes}
        className="input mono"
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        value={value}
        onChange={(event) => {
          onChange(event.target.value)
        }}
      />
    )}
  </Field>
)

export const TextArea = ({
  value,
  onChange,
  rows,
  isCode = false,
  ...labelled
}: Labelled & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows: number
  readonly isCode?: boolean
}) => (
  <Field {...labelled}>
    {(attributes) => (
      <textarea
        {...attributes}
        className={isCode ? "input mono" : "input"}
        spellCheck={!isCode}
        rows={rows}
        value={value}
        onChange={(event) => {
          onChange(event.target.value)
        }}
      />
    )}
  </Field>
)

type Option<A> = readonly [value: A, name: string]

/** One of several values; `none` names the choice of no value. */
export const Select = <A extends string | number>({
  value,
  options,
  none,
  onChange,
  ...labelled
}: Labelled & {
  readonly value: A | null | undefined
  readonly options: ReadonlyArray<Option<A>>
  readonly none?: string | undefined
  readonly onChange: (value: A | null) => void
}) => (
  <Field {...labelled}>
    {(attributes) => (
      <select
        {...attributes}
        value={value ?? ""}
        onChange={(event) => {
          onChange(options.find(([one]) => String(one) === event.target.value)?.[0] ?? null)
        }}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** Names as they are: the options of an enum. */
export const named = <A extends string>(values: ReadonlyArray<A>): ReadonlyArray<Option<A>> =>
  values.map((value) => [value, value])

export const entities = (
  all: ReadonlyArray<{ readonly id: number; readonly name: string }> | undefined
): ReadonlyArray<Option<number>> => (all ?? []).map(({ id, name }) => [id, name])

/** Any number of several values. */
export const Checks = <A extends string | number>({
  name,
  options,
  value: chosen,
  error,
  onChange
}: {
  readonly name: string
  readonly options: ReadonlyArray<Option<A>>
  readonly value: ReadonlyArray<A>
  readonly error?: string | undefined
  readonly onChange: (value: Array<A>) => void
}) => (
  <fieldset className="checks">
    <legend className="label">{name}</legend>
    <div className="check-list">
      {options.map(([value, label]) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => {
              onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
            }}
          />
          <span className="plain">{label}</span>
        </label>
      ))}
    </div>
    {error === undefined ? null : (
      <span className="field-error plain" role="alert">
        {error}
      </span>
    )}
  </fieldset>
)

/** An error of a form that none of its fields shows. */
export const FormError = ({
  error,
  fields,
  pattern
}: {
  readonly error: unknown
  readonly fields: ReadonlyArray<string>
  readonly pattern?: RegExp
}) => (error === null || error === undefined || isPlaced(error, fields, pattern) ? null : <ErrorNotice error={error} />)

/** A form in a dialog. Its errors are at their fields, whose names are `fields`, or above the button. */
export const FormDialog = ({
  title,
  submit,
  error,
  fields,
  isPending,
  isComplete = true,
  isNarrow = true,
  onSubmit,
  onClose,
  children
}: {
  readonly title: string
  /** What the button says. */
  readonly submit: string
  readonly error: unknown
  readonly fields: ReadonlyArray<string>
  readonly isPending: boolean
  readonly isComplete?: boolean | undefined
  readonly isNarrow?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) => (
  <Dialog title={title} onClose={onClose} narrow={isNarrow}>
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      <FormError error={error} fields={fields} />
      <footer>
        <button type="button" className="button quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={isPending || !isComplete}>
          {submit}
        </button>
      </footer>
    </form>
  </Dialog>
)
