import { gluedPatterns } from "./GluedValues.js"
import { plainPatterns } from "./PlainText.js"
import { patterns as coordinates } from "./recognizers/Coordinates.js"
import { patterns as ibans } from "./recognizers/Ibans.js"
import { patterns as network } from "./recognizers/NetworkAddresses.js"
import { patterns as urls } from "./recognizers/Urls.js"
import { patterns as handles } from "./recognizers/Usernames.js"
import { patterns as written } from "./recognizers/WrittenForms.js"
import { patterns as phones } from "./recognizers/WrittenPhoneNumbers.js"
import { classPatterns as money } from "./recognizers/Money.js"
import { classPatterns as clockTimes } from "./recognizers/ClockTimes.js"
import { classPatterns as dates, datePatterns } from "./recognizers/Dates.js"
import { classPatterns as durations } from "./recognizers/EverydayTimes.js"
import { classPatterns as months } from "./recognizers/MonthsAndYears.js"
import { PLACEHOLDER } from "./SensitiveField.js"
import { TOKEN } from "./Tokens.js"

/**
 * Every regular expression that is run over a text from outside and repeats something, by name, so that a test can
 * have each of them checked for super-linear time. What else recognizers test is single words, with patterns of
 * alternatives or one class only.
 */
export const patternsOverText: Readonly<Record<string, RegExp>> = {
  placeholder: PLACEHOLDER,
  token: TOKEN,
  ...plainPatterns,
  ...gluedPatterns,
  ...urls,
  ...network,
  ...ibans,
  ...coordinates,
  ...phones,
  ...handles,
  ...written,
  ...datePatterns,
  ...Object.fromEntries(Object.entries(money).map(([name, pattern]) => [`money ${name}`, pattern])),
  ...Object.fromEntries(
    Object.entries({ ...dates, ...months, ...clockTimes, ...durations }).map(([name, pattern]) => [
      `time ${name}`,
      pattern
    ])
  )
}
