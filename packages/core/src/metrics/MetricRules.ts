/** Validation of metrics. Pure: the syntax of custom code is checked by the sandbox. */
import { type FieldErrors, fieldError, mergeFieldErrors, noFieldErrors, Messages } from "../kernel/FieldErrors.js"
import type { Json, JsonObject } from "../kernel/Json.js"
import { isFormulaName } from "./Formulas.js"
import { settingsOf } from "./Settings.js"
import { STATISTICS } from "./Statistics.js"
import type { MetricSpec } from "./Metric.js"
import { supportedTypes, wordsOf } from "./MetricTerms.js"
import { normalizeText } from "./Words.js"

const MAX_WORDS = 100
const MAX_WORD = 255
const MAX_PHRASES = 200
const MAX_NEEDED = 100

/** The scale of a metric that sets no bounds. */
const DEFAULT_SCALE = { min: 1, max: 5 } as const

/** The lowest and highest value of a metric that is scored on a scale. */
export const scaleOf = (configuration: Json): { readonly min: number; readonly max: number } => {
  const settings = settingsOf(configuration)
  const [min, max] = [settings?.min, settings?.max]
  return typeof min === "number" && typeof max === "number" && min < max ? { min, max } : DEFAULT_SCALE
}

/** The metrics, by slug or id, whose values a metric's code reads. */
export const dependenciesOf = (configuration: Json): ReadonlyArray<string> => {
  const given = settingsOf(configuration)?.depends_on
  return Array.isArray(given)
    ? given.flatMap((one: Json) => (typeof one === "string" || typeof one === "number" ? [String(one)] : []))
    : []
}

/** Whether a metric's value decides the call's `success`. */
export const decidesSuccess = (configuration: Json): boolean => settingsOf(configuration)?.decides_success === true

/** The field errors of a metric; `before` is its stored state, since it may keep a deprecated type. */
export const validateMetric = (spec: MetricSpec, before?: MetricSpec): FieldErrors =>
  mergeFieldErrors(
    typeErrors(spec, before),
    enumErrors(spec),
    sourceErrors(spec),
    triggerErrors(spec),
    configurationErrors(spec)
  )

const typeErrors = ({ type }: MetricSpec, before: MetricSpec | undefined): FieldErrors =>
  type === before?.type || supportedTypes.some((one) => one === type)
    ? noFieldErrors
    : fieldError("type", `"${type}" is deprecated: use ${type === "basic" ? "custom_code" : "llm_judge"}.`)

const enumErrors = ({ enumValues, evalType }: MetricSpec): FieldErrors => {
  if (evalType !== "enum") return noFieldErrors
  if (enumValues === null) return fieldError("enum_values", "This field is required if eval_type is enum.")
  if (typeof enumValues !== "object") return fieldError("enum_values", "Expected an object, or a list of texts.")
  if (Array.isArray(enumValues) && enumValues.some((one: Json) => typeof one !== "string")) {
    return fieldError("enum_values", Messages.notAString)
  }
  const words = wordsOf(enumValues)
  return words.length === 0
    ? fieldError("enum_values", "At least one value is required.")
    : words.length > MAX_WORDS
      ? fieldError("enum_values", Messages.tooMany(MAX_WORDS))
      : words.some((word) => word.trim() === "")
        ? fieldError("enum_values", Messages.notBlank)
        : words.some((word) => word.length > MAX_WORD)
          ? fieldError("enum_values", Messages.tooLong(MAX_WORD))
          : new Set(words).size < words.length
            ? fieldError("enum_values", "Values must be unique.")
            : noFieldErrors
}

/** Whether a language model answers the metric; so it is with the deprecated types. */
export const isJudged = ({ type }: Pick<MetricSpec, "type">): boolean => type !== "custom_code"

const sourceErrors = (spec: MetricSpec): FieldErrors => {
  if (isJudged(spec)) {
    return spec.prompt.trim() === ""
      ? fieldError("prompt", `This field is required if type is ${spec.type}.`)
      : noFieldErrors
  }
  if (spec.customCode.trim() !== "") return noFieldErrors
  return spec.functionName.trim() === ""
    ? fieldError(
        "custom_code",
        "This field is required if type is custom_code and function_name names no built-in function."
      )
    : isFormulaName(spec.functionName)
      ? noFieldErrors
      : fieldError("function_name", `There is no built-in function of this name; give custom_code that defines it.`)
}

const triggerErrors = ({ evaluationTrigger, evaluationTriggerPrompt }: MetricSpec): FieldErrors =>
  evaluationTrigger === "custom" && evaluationTriggerPrompt.trim() === ""
    ? fieldError("evaluation_trigger_prompt", "This field is required if evaluation_trigger is custom.")
    : noFieldErrors

const AMOUNTS = [
  "max_silence_s",
  "min_silence_s",
  "max_wait_s",
  "min_overlap_s",
  "max_pause_s",
  "backchannel_max_s",
  "backchannel_max_words",
  "min_words"
]
const PHRASES = ["phrases", "required", "forbidden"]

const configurationErrors = ({ configuration, evalType }: MetricSpec): FieldErrors => {
  if (configuration === null) return noFieldErrors
  const settings = settingsOf(configuration)
  if (settings === null) return fieldError("configuration", Messages.notAnObject)
  const at = (name: string, errorOf: (value: Json) => string | undefined): FieldErrors => {
    const value = settings[name]
    const error = value === undefined ? undefined : errorOf(value)
    return error === undefined ? noFieldErrors : fieldError(`configuration.${name}`, error)
  }
  return mergeFieldErrors(
    ...AMOUNTS.map((name) =>
      at(name, (value) =>
        typeof value !== "number" ? Messages.notANumber : value < 0 ? Messages.tooSmall(0) : undefined
      )
    ),
    ...PHRASES.map((name) => at(name, (value) => textsError(value))),
    at("statistic", (value) =>
      STATISTICS.some((one) => one === value) ? undefined : Messages.notAChoice(value, STATISTICS)
    ),
    at("decides_success", (value) =>
      typeof value !== "boolean"
        ? Messages.notABoolean
        : value && evalType !== "binary" && evalType !== "binary_workflow_adherence"
          ? "Only a binary metric can decide whether a call is a success."
          : undefined
    ),
    at("depends_on", (value) =>
      !Array.isArray(value)
        ? Messages.notAList
        : value.length > MAX_NEEDED
          ? Messages.tooMany(MAX_NEEDED)
          : value.some((one: Json) => typeof one !== "string" && typeof one !== "number")
            ? "Expected slugs or ids of metrics."
            : undefined
    ),
    evalType === "continuous_qualitative" ? scaleErrors(settings) : noFieldErrors
  )
}

const textsError = (value: Json): string | undefined =>
  !Array.isArray(value)
    ? Messages.notAList
    : value.length > MAX_PHRASES
      ? Messages.tooMany(MAX_PHRASES)
      : value.some((one: Json) => typeof one !== "string")
        ? Messages.notAString
        : value.some((one: Json) => typeof one === "string" && normalizeText(one) === "")
          ? "A phrase must contain a word."
          : undefined

const scaleErrors = (settings: JsonObject): FieldErrors => {
  const [min, max] = [settings.min, settings.max]
  if (min === undefined && max === undefined) return noFieldErrors
  return mergeFieldErrors(
    typeof min === "number" ? noFieldErrors : fieldError("configuration.min", Messages.notANumber),
    typeof max === "number" ? noFieldErrors : fieldError("configuration.max", Messages.notANumber),
    typeof min === "number" && typeof max === "number" && min >= max
      ? fieldError("configuration.max", "Ensure this value is greater than min.")
      : noFieldErrors
  )
}

const MAX_SLUG = 255

/** A name in snake_case, or null if nothing of it remains. */
const snakeCase = (name: string): string | null => {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, MAX_SLUG - 10)
  return slug === "" ? null : slug
}

/** The slug of a new metric: its name in snake_case, with a number if the agent already has that slug. */
export const slugFor = (name: string, taken: ReadonlySet<string>): string | null => {
  const slug = snakeCase(name)
  if (slug === null || !taken.has(slug)) return slug
  let number = 2
  while (taken.has(`${slug}_${number}`)) number++
  return `${slug}_${number}`
}
