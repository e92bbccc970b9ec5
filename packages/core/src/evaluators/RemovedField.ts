import { type FieldErrors, fieldError, noFieldErrors } from "../kernel/FieldErrors.js"
import type { InputReader } from "../kernel/InputReader.js"

const REMOVED = "This field was removed. Put values into test_profile.information.main_agent_variables."

/** The error of writing `dynamic_variable_values`, whatever the value. Source: interface, Evaluator and Errors. */
export const removedFieldErrors = (reader: InputReader): FieldErrors =>
  reader.has("dynamic_variable_values") ? fieldError("dynamic_variable_values", REMOVED) : noFieldErrors
