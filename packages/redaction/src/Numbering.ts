import { parsePhoneNumberFromString } from "libphonenumber-js/min"

/** A number of the North American numbering plan, with or without the country's 1. */
export const isNanp = (digits: string): boolean => /^1?[2-9]\d\d[2-9]\d{6}$/.test(digits)

/** Whether the numbering plans know such a number; the international form only, since no country can be assumed. */
export const isInternational = (digits: string): boolean =>
  parsePhoneNumberFromString(`+${digits}`)?.isPossible() ?? false

/** Countries whose national numbers begin with a 0 that stands for nothing else. */
const trunkRegions = ["GB", "DE", "FR", "NL", "BE", "CH", "AT", "SE", "IE", "AU", "NZ", "ZA", "IN", "JP"] as const

/** A number as it is dialled inside its country: grouped, with the 0 that countries other than North America's have. */
export const isNational = (digits: string): boolean =>
  /^0[1-9]\d{7,10}$/.test(digits) &&
  trunkRegions.some((region) => parsePhoneNumberFromString(digits, region)?.isValid() ?? false)
