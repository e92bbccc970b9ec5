import type { Random } from "./Random.js"

export const luhn = (body: string): string => {
  let sum = 0
  for (let i = 0; i < body.length; i++) {
    let digit = Number(body[body.length - 1 - i])
    if (i % 2 === 0) {
      digit *= 2
      if (digit > 9) digit -= 9
    }
    sum += digit
  }
  return body + String((10 - (sum % 10)) % 10)
}

export const vin = (random: Random): string => {
  const map = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
  const units = [
    ...`1${random.letters(2)}${random.letters(1)}${random.digits(2)}${random.letters(2)}0${random.letters(1)}${random.letters(1)}${random.digits(6)}`
  ]
  const sum = units.reduce((total, unit, at) => total + (map.indexOf(unit) % 10) * (weights[at] ?? 0), 0)
  units[8] = sum % 11 === 10 ? "X" : String(sum % 11)
  return units.join("")
}

export const iban = (random: Random): string => {
  const bban = `${random.letters(4)}${random.digits(14)}`
  const digits = [...`${bban}GB00`]
    .map((unit) => (/[A-Z]/.test(unit) ? String(unit.charCodeAt(0) - 55) : unit))
    .join("")
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return `GB${String(98 - rest).padStart(2, "0")}${bban}`
}

export const routing = (random: Random): string => {
  for (;;) {
    const digits = `0${random.int(1, 9)}${random.digits(7)}`
    const n = [...digits].map(Number)
    const sum =
      3 * ((n[0] ?? 0) + (n[3] ?? 0) + (n[6] ?? 0)) +
      7 * ((n[1] ?? 0) + (n[4] ?? 0) + (n[7] ?? 0)) +
      (n[2] ?? 0) +
      (n[5] ?? 0) +
      (n[8] ?? 0)
    if (sum % 10 === 0) return digits
  }
}
