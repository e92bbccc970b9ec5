import { candidate } from "../TextSpan.js"
import { byPattern, type Recognizer } from "./CallReader.js"

export const patterns = {
  handle: /(?<![\w@.])@[A-Za-z_]\w{1,30}/g
} as const

/** Handles: "@jane_doe". User names that a cue announces: Secrets.ts. */
export const handles: Recognizer = ({ call: { text } }) =>
  text.includes("@")
    ? byPattern(text, patterns.handle, (value, start) =>
        candidate("username", start, start + value.length, 0.7, "handle")
      )
    : []
