// Mutants of the engine: plausible defects, by the operator that makes them (see the table in README.md).
import { accessMutants } from "./access.js"
import { callMutants } from "./calls.js"
import { firstMutants } from "./first.js"
import { resultMutants } from "./results.js"

/**
 * Each mutant replaces a text that occurs once in a file. `killedBy` matches the name of the property, contract or model in
 * the file `test` that has to fail.
 *
 * @typedef {"boundary" | "order" | "scope" | "time zone" | "case" | "rounding" | "type" | "missing cascade" | "missing part" | "permission"} Operator
 * @typedef {ReadonlyArray<{ operator: Operator, name: string, file: string, find: string, replace: string, test: string, killedBy: RegExp }>} Mutants
 */

export const mutants = [...firstMutants, ...resultMutants, ...callMutants, ...accessMutants]
