import * as DateTime from "effect/DateTime"

/** So many milliseconds after 1970-01-01T00:00:00Z, as stores are told when something happens. */
export const at = (millis: number): DateTime.Utc => DateTime.unsafeMake(millis)
