import { candidate } from "../TextSpan.js"
import { isCoordinates } from "../Validators.js"
import { byPattern, type Recognizer } from "./CallReader.js"

export const patterns = {
  coordinates: /(?<![\d.])(-?\d{1,3}\.\d{2,10})°?\s?([NS])?,?\s{0,3}(-?\d{1,3}\.\d{2,10})°?\s?([EW]\b)?/g
} as const

/** Latitude and longitude as they are written. Spoken ones: SpokenCoordinates.ts. */
export const coordinates: Recognizer = ({ call: { text } }) =>
  text.includes(".")
    ? byPattern(text, patterns.coordinates, (value, start, match) =>
        isCoordinates(Number(match[1]), Number(match[3]))
          ? candidate("location", start, start + value.trimEnd().length, 0.85, "coordinates")
          : undefined
      )
    : []
