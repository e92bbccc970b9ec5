import { gluedPatterns } from "./GluedValues.js"
import { plainPatterns } from "./PlainText.js"
import { patterns as addresses } from "./recognisers/Addresses.js"
import { classPatterns as money } from "./recognisers/Money.js"
import { classPatterns as times, datePatterns } from "./recognisers/Times.js"
import { PLACEHOLDER } from "./SensitiveField.js"
import { TOKEN } from "./Tokens.js"

/**
 * Every regular expression that is run over a text from outside and repeats something, by name, so that a test can
 * have each of them checked for super-linear time. What else recognisers test is single words, with patterns of
 * alternatives or one class only.
 */
export const patternsOverText: Readonly<Record<string, RegExp>> = {
  placeholder: PLACEHOLDER,
  token: TOKEN,
  ...plainPatterns,
  ...gluedPatterns,
  ...addresses,
  ...datePatterns,
  ...Object.fromEntries(Object.entries(money).map(([name, pattern]) => [`money ${name}`, pattern])),
  ...Object.fromEntries(Object.entries(times).map(([name, pattern]) => [`time ${name}`, pattern]))
}
