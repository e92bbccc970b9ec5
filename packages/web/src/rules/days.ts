/** Days of a calendar in UTC, as an input of the type `date` has them. */

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_MILLIS = 86_400_000

const millisOf = (day: string): number => (DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN)

const iso = (millis: number): string | undefined => (Number.isNaN(millis) ? undefined : new Date(millis).toISOString())

/** The first instant of a day as ISO 8601; undefined for a text that is no day. */
export const startOfDay = (day: string): string | undefined => iso(millisOf(day))

/** The first instant after a day. */
export const afterDay = (day: string): string | undefined => iso(millisOf(day) + DAY_MILLIS)
