/** Values that are known of a call: they are read behind it, so that they are repeated ones wherever they are said. */
import type { CallText } from "./CallText.js"
import { type Leaf, leafOf } from "./Leaf.js"
import { type KnownValue, MAX_KNOWN } from "./SpansToRedact.js"
import type { Candidate } from "./TextSpan.js"

/** Most characters of a value that is known of a call. */
const MAX_KNOWN_LENGTH = 500

/** The known values as lines of text. */
export const knownLeaves = (known: ReadonlyArray<KnownValue>): ReadonlyArray<Leaf> =>
  known.slice(0, MAX_KNOWN).map(({ key = "", value }) => leafOf(key, value.slice(0, MAX_KNOWN_LENGTH)))

/** What reads a line of text as the rest of a call, from which nothing reaches into another. */
export const apart = (speaker: string, { text }: Leaf) => ({ speaker, content: text, apart: true })

/** The known values whose field is known, in a call whose turns from `first` on are the lines of these values. */
export const knownCandidates = (
  call: CallText,
  first: number,
  known: ReadonlyArray<KnownValue>,
  leaves: ReadonlyArray<Leaf>
): ReadonlyArray<Candidate> =>
  leaves.flatMap(({ from, text }, index): ReadonlyArray<Candidate> => {
    const field = known[index]?.field
    const place = call.turns[first + index]
    if (field === undefined || place === undefined || text.length === from) return []
    return [
      {
        start: place.start + from,
        end: place.end,
        field,
        score: 0.98,
        evidence: ["known of the call"],
        recognizer: "known"
      }
    ]
  })
