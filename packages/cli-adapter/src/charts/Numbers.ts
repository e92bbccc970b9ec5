/** Numbers and instants as people read them. */

const numberFormat = (options: Intl.NumberFormatOptions) => {
  let format: Intl.NumberFormat | undefined
  return (value: number): string => (format ??= new Intl.NumberFormat("en-US", options)).format(value)
}

/** Made at the first use, since the first number format of a process takes about 5 ms. */
const NUMBERS = {
  whole: numberFormat({ maximumFractionDigits: 0 }),
  fine: numberFormat({ maximumFractionDigits: 2 }),
  short: numberFormat({ notation: "compact", maximumFractionDigits: 1 })
}

/** A number with as many digits as it has meaning: `1,234`, `12.35`, and `1.2M` beyond a million. */
export const printNumber = (value: number): string => {
  const size = Math.abs(value)
  if (size >= 1e6) return NUMBERS.short(value)
  return size >= 1000 ? NUMBERS.whole(value) : NUMBERS.fine(value)
}

/** A share from 0 to 1: `81.2 %`. */
export const printShare = (share: number): string => `${(share * 100).toFixed(1)} %`

/** Seconds as minutes and seconds: `03:12`. */
export const printSeconds = (seconds: number): string => {
  const whole = Math.round(seconds)
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`
}

/** An instant as short as its period allows, in UTC: `2025-03`, `03-14`, `03-14 09:00`. */
export const printInstant = (at: Date, width: number): string => {
  const iso = at.toISOString()
  if (width >= 27 * 86_400_000) return iso.slice(0, 7)
  return width >= 86_400_000 ? iso.slice(5, 10) : iso.slice(5, 16).replace("T", " ")
}
