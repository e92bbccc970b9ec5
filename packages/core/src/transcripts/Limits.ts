/**
 * What one transcript may hold. Each limit is several times what the longest real call needs; beyond it the decoders
 * answer a fault rather than spend memory on a body that is no call.
 */

/** Rows of one list, turns of one transcript. Somebody who speaks every three seconds needs eight hours for it. */
export const MAX_TURNS = 10_000

/** Words with times of their own, over the whole transcript: ten hours of uninterrupted talk. */
export const MAX_WORDS = 100_000

/** Tool calls of one transcript. */
export const MAX_TOOL_CALLS = 10_000

/** Characters of all turns, words and tool calls together. */
export const MAX_TEXT = 2_000_000

/**
 * Longest time from the start of a call, in seconds: a week. No call lasts that long, while an instant on the world's
 * clock (1.7e9 seconds) that strays into a field for seconds from the start is far beyond it.
 */
export const MAX_CALL_SECONDS = 604_800

/** Numbers from here on are instants on the world's clock in seconds since 1970, not seconds from the call's start. */
export const EPOCH_SECONDS_FROM = 1e8

/** Numbers above this are instants in milliseconds since 1970 (it is March 1973 in those, the year 5138 in seconds). */
export const EPOCH_MILLISECONDS_FROM = 1e11

/** The last instant with a year of four digits, in milliseconds since 1970. */
export const LATEST_EPOCH_MILLISECONDS = 253_402_300_799_999

/** Faults listed for one transcript. A body that is wrong throughout must not buy an answer larger than itself. */
export const MAX_FIELD_ERRORS = 1_000
