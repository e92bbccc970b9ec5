/** Checks that tell a real identifier from a number that only looks like one. All are pure and take bare characters. */

/** Payment card check digit (ISO/IEC 7812-1 annex B). */
export const isLuhn = (digits: string): boolean => {
  if (!/^\d+$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    let digit = digits.charCodeAt(digits.length - 1 - i) - 48
    if (i % 2 === 1) {
      digit *= 2
      if (digit > 9) digit -= 9
    }
    sum += digit
  }
  return sum % 10 === 0
}

/** A payment card number: 13 to 19 digits, a known first digit, and a right check digit. */
export const isCardNumber = (digits: string): boolean =>
  /^[2-6]\d{12,18}$/.test(digits) && !/^(\d)\1+$/.test(digits) && isLuhn(digits)

/** Length of an IBAN by country (ISO 13616 registry). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30
}

/** Whether the text has an IBAN's country, length and shape, whatever its check digits say. */
export const hasIbanShape = (text: string): boolean => {
  const iban = text.toUpperCase()
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) && IBAN_LENGTHS[iban.slice(0, 2)] === iban.length
}

/** IBAN with right check digits (ISO 7064 mod 97-10). */
export const isIban = (text: string): boolean => {
  if (!hasIbanShape(text)) return false
  const iban = text.toUpperCase()
  let rest = 0
  for (const unit of iban.slice(4) + iban.slice(0, 4)) {
    const value = unit >= "A" ? unit.charCodeAt(0) - 55 : Number(unit)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** A United States bank routing number (ABA): nine digits, a Federal Reserve prefix, weights 3-7-1. */
export const isAbaRouting = (digits: string): boolean => {
  if (!/^(0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(digits)) return false
  const weights = [3, 7, 1]
  let sum = 0
  for (let at = 0; at < 9; at++) sum += Number(digits[at]) * (weights[at % 3] ?? 0)
  return sum % 10 === 0
}

const VIN_VALUES: Readonly<Record<string, number>> = {
  A: 1,
  B: 2,
  C: 3,
  D: 4,
  E: 5,
  F: 6,
  G: 7,
  H: 8,
  J: 1,
  K: 2,
  L: 3,
  M: 4,
  N: 5,
  P: 7,
  R: 9,
  S: 2,
  T: 3,
  U: 4,
  V: 5,
  W: 6,
  X: 7,
  Y: 8,
  Z: 9
}
const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

/** Whether the text has a vehicle identification number's shape (ISO 3779): 17 of A to Z and digits, no I, O or Q. */
export const hasVinShape = (text: string): boolean =>
  /^[A-HJ-NPR-Z0-9]{17}$/i.test(text) && /\d/.test(text) && /[A-Z]/i.test(text)

/** VIN with the North American check digit (49 CFR 565.15). */
export const isVin = (text: string): boolean => {
  if (!hasVinShape(text)) return false
  const vin = text.toUpperCase()
  let sum = 0
  for (let i = 0; i < 17; i++) {
    const unit = vin[i] ?? "0"
    sum += (VIN_VALUES[unit] ?? Number(unit)) * (VIN_WEIGHTS[i] ?? 0)
  }
  const check = sum % 11
  return vin[8] === (check === 10 ? "X" : String(check))
}

/** National provider identifier (45 CFR 162.406): Luhn over 80840 and the ten digits. */
export const isNpi = (digits: string): boolean => /^[12]\d{9}$/.test(digits) && isLuhn(`80840${digits}`)

/**
 * A social security number that the administration could have given out: no area 000, 666 or 900 and above, no group 00,
 * no serial 0000 (SSA, randomization of 2011).
 */
export const isSsn = (digits: string): boolean =>
  /^\d{9}$/.test(digits) && !/^(000|666|9)/.test(digits) && !/^...00/.test(digits) && !digits.endsWith("0000")

/** Individual taxpayer number: area 9, group 50 to 65, 70 to 88, 90 to 92 or 94 to 99 (IRS publication 1915). */
export const isItin = (digits: string): boolean => /^9\d\d(5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])\d{4}$/.test(digits)

/** IPv4 dotted quad with every part at most 255. */
export const isIpv4 = (text: string): boolean => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
}

/** IPv6 in full or with one `::` (RFC 4291), without an embedded IPv4. */
export const isIpv6 = (text: string): boolean => {
  const halves = text.split("::")
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")))
  return (
    groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) &&
    (halves.length === 2 ? groups.length < 8 && groups.length > 0 : groups.length === 8)
  )
}

/** A latitude and longitude pair in degrees. */
export const isCoordinates = (latitude: number, longitude: number): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
