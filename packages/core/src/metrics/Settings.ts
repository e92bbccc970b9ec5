/** What metrics read from their `configuration`. */
import type { Json, JsonObject } from "../kernel/Json.js"

const isSettings = (value: Json): value is JsonObject | null => typeof value === "object" && !Array.isArray(value)

/** A configuration as formulas read it: null where it is not an object. */
export const settingsOf = (configuration: Json): JsonObject | null => (isSettings(configuration) ? configuration : null)

/** A setting that is a number of at least 0, or the default. */
export const numberSetting = (configuration: JsonObject | null, name: string, defaultValue: number): number => {
  const value: Json | undefined = configuration?.[name]
  return typeof value === "number" && value >= 0 ? value : defaultValue
}

/** A setting that is a list of texts; undefined where it is not a list. */
export const textsSetting = (configuration: JsonObject | null, name: string): ReadonlyArray<string> | undefined => {
  const value: Json | undefined = configuration?.[name]
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : undefined
}
