import { ages } from "./Ages.js"
import { answers } from "./answers/Answers.js"
import { birthDates } from "./BirthDates.js"
import type { Recognizer } from "./CallReader.js"
import { clockTimes } from "./ClockTimes.js"
import { coordinates } from "./Coordinates.js"
import { dates } from "./Dates.js"
import { descriptions } from "./Descriptions.js"
import { emails } from "./Emails.js"
import { everydayTimes } from "./EverydayTimes.js"
import { ibans } from "./Ibans.js"
import { locations } from "./Locations.js"
import { money } from "./Money.js"
import { monthsAndYears } from "./MonthsAndYears.js"
import { networkAddresses } from "./NetworkAddresses.js"
import { numbers } from "./Numbers.js"
import { organizations } from "./Organizations.js"
import { people } from "./People.js"
import { secrets } from "./Secrets.js"
import { spelledCodes } from "./SpelledCodes.js"
import { spokenAddresses } from "./SpokenAddresses.js"
import { urlsAndFiles } from "./Urls.js"
import { handles } from "./Usernames.js"
import { writtenForms } from "./WrittenForms.js"
import { writtenPhoneNumbers } from "./WrittenPhoneNumbers.js"

const all = {
  emails,
  handles,
  urlsAndFiles,
  networkAddresses,
  coordinates,
  writtenPhoneNumbers,
  ibans,
  spokenAddresses,
  numbers,
  spelledCodes,
  dates,
  monthsAndYears,
  birthDates,
  clockTimes,
  everydayTimes,
  ages,
  money,
  locations,
  people,
  organizations,
  descriptions,
  secrets,
  writtenForms,
  answers
}

/**
 * All recognizers by name. Of candidates that are equal in place, score and length, the first one found counts. Names are
 * part of the report of a call's redactions.
 */
export const recognizers: ReadonlyArray<readonly [name: string, recognize: Recognizer]> = Object.entries(all)
