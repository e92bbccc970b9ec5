/** Limits of one transcript, each several times what the longest real call needs. */

/** Rows of one list, turns of one transcript: eight hours at one turn every three seconds. */
export const MAX_TURNS = 10_000

/** Words with times, over the whole transcript: ten hours of uninterrupted speech. */
export const MAX_WORDS = 100_000

/** Tool calls of one transcript. */
export const MAX_TOOL_CALLS = 10_000

/** Characters of all turns, words and tool calls together. */
export const MAX_TEXT = 2_000_000

/** The longest time from the start of a call, in seconds: a week. It is far below any epoch time (1.7e9). */
export const MAX_CALL_SECONDS = 604_800

/** Numbers from here on are seconds since 1970, not seconds from the start of the call. */
export const EPOCH_SECONDS_FROM = 1e8

/** Numbers above this are milliseconds since 1970 (March 1973; as seconds it would be the year 5138). */
export const EPOCH_MILLISECONDS_FROM = 1e11

/** The end of the year 9999, in milliseconds since 1970. */
export const LATEST_EPOCH_MILLISECONDS = 253_402_300_799_999

/** Field errors reported for one transcript, so that a response is not larger than its request. */
export const MAX_FIELD_ERRORS = 1_000
