import type { SensitiveField } from "../SensitiveField.js"
import { candidate } from "../TextSpan.js"
import { byPattern, type Recognizer } from "./CallReader.js"

/** Forms that only a value of the field is written in. */
export const patterns = {
  /** "KX19 ZRV": a British license plate. */
  britishPlate: /(?<![\p{L}\d])[A-Z]{2}\d{2} [A-Z]{3}(?![\p{L}\d])/gu,
  /** "B-MW 1234": a German one. */
  germanPlate: /(?<![\p{L}\d-])[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}(?![\p{L}\d-])/gu,
  /** "AB-123-CD": a French one. */
  frenchPlate: /(?<![\p{L}\d-])[A-Z]{2}-\d{3}-[A-Z]{2}(?![\p{L}\d-])/gu,
  /** "MH 12 AB 1234": an Indian one. */
  indianPlate: /(?<![\p{L}\d-])[A-Z]{2}[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}(?![\p{L}\d-])/gu,
  /** "12DEC", "3Jan2024" */
  gluedDate:
    /(?<![\p{L}\d])(?:0?[1-9]|[12]\d|3[01])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:(?:19|20)?\d{2})?(?![\p{L}\d])/giu,
  /** "14h30" */
  gluedTime: /(?<![\p{L}\d])(?:[01]?\d|2[0-3])h[0-5]\d(?![\p{L}\d])/giu,
  /** "at 10.20" */
  dottedTime:
    /(?<=\b(?:at|by|until|till|from|um) )(?:[01]?\d|2[0-3])\.[0-5]\d(?!\d|\.\d|\s?(?:%|percent|per|million|kg|km|cm|mm))/giu,
  /** "SY8 1AZ", "K1A 0B1" */
  postcode: /(?<![\p{L}\d])(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![\p{L}\d])/gu,
  /** "CHF 89.50", "1.500 SEK". Whether it may begin takes less time to see than whether a letter is before it. */
  amount:
    /(?=[A-Z\d])(?<![\p{L}\d])(?:(?:CHF|SEK|NOK|DKK|CAD|AUD|NZD|JPY|CNY|INR|ZAR|BRL|MXN|PLN|CZK|HUF|TRY|AED|SAR|SGD|HKD|KRW|THB|PHP|NGN|KES|GHS|EGP|ILS|RON|USD|EUR|GBP) ?\d[\d.,']{0,15}|\d[\d.,']{0,15} ?(?:CHF|SEK|NOK|DKK|CAD|AUD|NZD|JPY|CNY|INR|ZAR|BRL|MXN|PLN|CZK|HUF|AED|SAR|SGD|HKD|KRW|THB|NGN|KES|GHS|EGP|ILS|RON))(?<![.,'])(?![\p{L}\d])/gu,
  /** "user n.harkonnen" */
  userName: /(?<=\b(?:user|login|profile|handle) )[a-z]\w{0,30}[._-]\w[\w.-]{0,30}(?<![.-])/giu,
  /** "Fisherman's Wharf", "Cooper's Yard" */
  ownedPlace:
    /(?![a-z ])(?<![\p{L}])\p{Lu}\p{Ll}{1,20}['’]s (?:Wharf|Yard|Corner|Landing|Cross|Green|Gate|Market|Bridge|Mill|Farm|Lane|Court|Close|Row|Quay|Pier|Bay|Cove|Island|Point|Ridge|Hill)(?![\p{L}])/gu
} as const

const fields: ReadonlyArray<readonly [pattern: RegExp, field: SensitiveField, score: number]> = [
  [patterns.britishPlate, "vehicle_id", 0.8],
  [patterns.germanPlate, "vehicle_id", 0.56],
  [patterns.frenchPlate, "vehicle_id", 0.6],
  [patterns.indianPlate, "vehicle_id", 0.88],
  [patterns.gluedDate, "date", 0.7],
  [patterns.gluedTime, "time", 0.8],
  [patterns.dottedTime, "time", 0.6],
  [patterns.postcode, "location", 0.7],
  [patterns.amount, "money", 0.9],
  [patterns.userName, "username", 0.62],
  [patterns.ownedPlace, "location", 0.7]
]

const HAS_DIGIT = /\d/

/** License plates, dates, times, postal codes, amounts and more by the form that they are written in. */
export const writtenForms: Recognizer = ({ call: { text } }) =>
  HAS_DIGIT.test(text)
    ? fields.flatMap(([pattern, field, score]) =>
        byPattern(text, pattern, (value, start) => candidate(field, start, start + value.length, score, "written form"))
      )
    : []
