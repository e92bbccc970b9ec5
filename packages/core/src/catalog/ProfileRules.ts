import * as Either from "effect/Either"
import { decode, type FieldErrors, fieldError, NON_FIELD, Messages } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { isPlainObject, type Json, JsonObject } from "../kernel/Json.js"

/** The section of a profile's information that fills `{{variable}}` placeholders. Source: interface, Test profile. */
export const VARIABLES_SECTION = "main_agent_variables"

const decodeInformation = decode(Fields.object({ information: JsonObject }))

/** Validates a profile's information: a JSON object whose `main_agent_variables`, if any, is an object too. */
export const validateInformation = (input: unknown): Either.Either<JsonObject, FieldErrors> =>
  Either.match(decodeInformation({ information: input }), {
    onLeft: (errors) =>
      Either.left(fieldError(NON_FIELD, ...(input === null ? [Messages.notNull] : Object.values(errors).flat()))),
    onRight: ({ information }) =>
      Object.hasOwn(information, VARIABLES_SECTION) && !isPlainObject(information[VARIABLES_SECTION])
        ? Either.left(fieldError(VARIABLES_SECTION, Messages.notAnObject))
        : Either.right(information)
  })

/**
 * Whether information has the legacy flat form, variables only: `{"name": "Ann", "plan": "gold"}`. It has if there is no
 * `main_agent_variables` object and some value is not an object. Everything else is sectioned, `{}` included.
 */
export const isLegacyFlat = (information: JsonObject): boolean =>
  !(Object.hasOwn(information, VARIABLES_SECTION) && isPlainObject(information[VARIABLES_SECTION])) &&
  Object.values(information).some((value) => !isPlainObject(value))

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

const isObject = (value: Json | undefined): value is JsonObject => isPlainObject(value)

/**
 * The values of `{{variable}}` placeholders when a call is placed: a sectioned profile's `main_agent_variables` alone. The
 * evaluator's own `dynamic_variable_values`, which only legacy rows have, apply without a profile and override the values
 * of a legacy-flat one. Source: interface, Evaluator, dynamic_variable_values.
 */
export const callVariables = (of: {
  readonly information: JsonObject | null
  readonly dynamicVariableValues: Json
}): JsonObject => {
  const { dynamicVariableValues, information } = of
  if (information === null) return asObject(dynamicVariableValues)
  if (isLegacyFlat(information)) return { ...information, ...asObject(dynamicVariableValues) }
  return asObject(Object.hasOwn(information, VARIABLES_SECTION) ? information[VARIABLES_SECTION] : undefined)
}
