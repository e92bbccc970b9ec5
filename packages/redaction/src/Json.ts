/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Levels of nesting that are redacted value by value; a deeper value is redacted as one text. */
export const MAX_JSON_DEPTH = 64
