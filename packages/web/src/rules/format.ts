/** How values are written. Times are UTC, as everywhere in Earshot. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const two = (value: number): string => String(value).padStart(2, "0")

/** `22 Nov 14:07`, with the year if it is not `now`'s. */
export const shortTime = (iso: string, now: Date): string => {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? "" : ` ${date.getUTCFullYear()}`
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ""}${year} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
}

/** `2026-11-22 14:07:31 UTC` */
export const fullTime = (iso: string): string => {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`
}

/** Seconds as `1:05`, and as `1:01:05` from an hour on. */
export const clock = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${rest}` : rest.replace(/^0/, "")
}

/** A number with at most this many decimals, grouped by thousands. */
export const number = (value: number, decimals = 2): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: decimals })

/** A share from 0 to 1 as `70.1 %`. */
export const percent = (share: number): string => `${number(share * 100, 1)} %`

/** A duration in seconds as `0.8 s` or `1:05`. */
export const seconds = (value: number): string => (value < 60 ? `${number(value, 1)} s` : clock(value))

/** A duration in seconds as `850 ms`. */
export const milliseconds = (value: number): string => `${number(value * 1000, 0)} ms`

/** The value of a metric as text; `–` for none. */
export const metricValue = (value: number | boolean | string | null): string =>
  value === null
    ? "–"
    : typeof value === "boolean"
      ? value
        ? "Yes"
        : "No"
      : typeof value === "number"
        ? number(value)
        : value

/** A score in words, as the command says it: an answer passed or failed where one of true and false is better. */
export const score = ({
  better,
  value
}: {
  readonly better: "higher" | "lower" | null
  readonly value: number | boolean | string | null
}): string =>
  typeof value !== "boolean" || better === null
    ? metricValue(value)
    : value === (better === "higher")
      ? "Passed"
      : "Failed"

/** Which values of a metric are better, in words. */
export const direction = (better: "higher" | "lower" | null): string =>
  better === null ? "" : `${words(better)} is better`

export const words = (name: string): string => {
  const text = name.replaceAll(/[_-]/g, " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Credits of six decimals, without trailing zeros and grouped by thousands; no digit is lost. */
export const credits = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  const decimals = fraction.replace(/0+$/, "")
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
  return decimals === "" ? grouped : `${grouped}.${decimals}`
}
