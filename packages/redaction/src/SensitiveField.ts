import * as Schema from "effect/Schema"

/** What can be asked to be redacted, in the interface's order (interface, E10 redact_fields). */
export const sensitiveFields = [
  "person_name",
  "age",
  "phone_number",
  "email_address",
  "date",
  "time",
  "location",
  "origin",
  "gender_sexuality",
  "physical_attribute",
  "occupation",
  "username",
  "password",
  "ip_address",
  "url",
  "filename",
  "event",
  "vehicle_id",
  "dob",
  "healthcare_number",
  "medical_professional",
  "credit_card",
  "account_number",
  "bank_account",
  "money",
  "ssn",
  "passport_number",
  "driver_license",
  "numerical_pii"
] as const

export const SensitiveField = Schema.Literal(...sensitiveFields).annotations({ identifier: "SensitiveField" })
export type SensitiveField = typeof SensitiveField.Type

/** These fields, each once, in the interface's order; what is no field is left out. */
export const inInterfaceOrder = (fields: ReadonlyArray<string>): ReadonlyArray<SensitiveField> =>
  sensitiveFields.filter((field) => fields.includes(field))

/** The word that stands in the place of a field's value: `phone_number` becomes `PHONE_NUMBER`. */
export const labelOf = (field: SensitiveField): string => field.toUpperCase()

const labels: ReadonlySet<string> = new Set(sensitiveFields.map(labelOf))

/**
 * Placeholders of every style: `[PHONE_NUMBER]`, `[PHONE_NUMBER_1]` and `[PHONE_NUMBER#3fa9c1d20b7e]`. What stands in
 * one is gone already: recognizers see a placeholder as one opaque token, so redacting twice changes nothing.
 */
export const PLACEHOLDER = /\[([A-Z]{2,10}(?:_[A-Z]{2,12}){0,2})(?:_\d{1,9}|#[0-9a-f]{12})?\]/g

/** Where placeholders stand in a text. */
export const placeholdersIn = (text: string): ReadonlyArray<{ readonly start: number; readonly end: number }> =>
  text.includes("[")
    ? Array.from(text.matchAll(PLACEHOLDER), ({ 0: whole, 1: label = "", index }) => ({ whole, label, index }))
        .filter(({ label }) => labels.has(label))
        .map(({ index, whole }) => ({ start: index, end: index + whole.length }))
    : []

/** Stands for a placeholder's characters while a text is being read. */
export const OPAQUE = "\uFFFC"

/** The same text with placeholders made opaque, character for character, so that offsets stay as they are. */
export const hidePlaceholders = (text: string): string =>
  text.includes("[")
    ? text.replace(PLACEHOLDER, (whole, label: string) => (labels.has(label) ? OPAQUE.repeat(whole.length) : whole))
    : text
