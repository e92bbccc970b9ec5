/** Constants of the interface, independent of the engine, so that a server is checked against the document. */

export const roleNames = { main_agent: "Main Agent", testing_agent: "Testing Agent" } as const

/** The formats of transcript_json that carry a transcript. Source: interface, E10. */
export const TRANSCRIPT_TYPES = [
  "service",
  "service_legacy",
  "provider_a",
  "provider_b",
  "provider_c",
  "provider_d",
  "provider_e",
  "provider_f"
] as const

/** The values of redact_fields. Source: interface, E10. */
export const sensitive: ReadonlyArray<string> = (
  "person_name age phone_number email_address date time location origin gender_sexuality physical_attribute " +
  "occupation username password ip_address url filename event vehicle_id dob healthcare_number " +
  "medical_professional credit_card account_number bank_account money ssn passport_number driver_license numerical_pii"
).split(" ")

/** Source: interface, Evaluator. */
export const LANGUAGES: ReadonlyArray<string> = (
  "af ar bn bg zh cs da nl en et fi fr de el gu hi he hu id it ja kn kk ko ms ml mr multi no pl pa pt ro ru sk es sv " +
  "th tr tl ta te uk uz vi"
).split(" ")

const key = ["api_key"] as const
const people = ["api_key", "oauth2", "dashboard_session"] as const
const everybody = ["api_key", "oauth2", "embedded_session", "shareable_link", "dashboard_session"] as const

/** The credentials that each operation accepts. Source: interface, Authentication. */
export const interfaceTable = {
  "suites.validate": people,
  "checkouts.create": key,
  "widgets.update": key,
  "evaluators.bulkUpdate": key,
  "dashboards.create": everybody,
  "simplifications.request": ["api_key", "oauth2", "embedded_session", "dashboard_session"],
  "personalities.enable": people,
  "results.bulkDelete": everybody,
  "results.deleteRuns": everybody,
  "calls.ingest": key,
  "metrics.predefined": key,
  "metrics.update": key
} as const
