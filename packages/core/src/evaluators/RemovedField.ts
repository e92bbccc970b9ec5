import { type Faults, fault, noFaults } from "../kernel/Faults.js"
import type { InputReader } from "../kernel/InputReader.js"

const GONE = "This field was removed. Put values into test_profile.information.main_agent_variables."

/** What is wrong with writing `dynamic_variable_values`, whatever the value. Source: interface, Evaluator and Errors. */
export const removedFieldFaults = (reader: InputReader): Faults =>
  reader.has("dynamic_variable_values") ? fault("dynamic_variable_values", GONE) : noFaults
