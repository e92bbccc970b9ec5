/**
 * Matches an agent's reply against the description of an action by words alone, for use when no language model is
 * configured. Deterministic; documented in docs/runs.md.
 */
import { containsPhrase, normalizeText } from "../metrics/Words.js"

/** Words that do not count: function words, the parties to a call, and verbs of speaking. */
const STOP_WORDS = new Set(
  [
    "a about after again all also an and any are as at be been before being by can could did do does for from had has have",
    "her him his how i if in into is it its me my of on or our out over please should so some than that the their them then",
    "there they this to up was we were what when where whether which while who why will with would yes you your",
    "agent assistant bot main caller customer user person somebody someone",
    "ask asks asked asking say says said saying tell tells told telling answer answers answered answering reply replies",
    "replied state states stated mention mentions mentioned mentioning offer offers offered offering give gives gave giving",
    "request requests requested requesting want wants wanted speak speaks spoke talk talks talked"
  ].flatMap((line) => line.split(" "))
)

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** The stem of a word: `tables`, `booked` and `booking` become `table` and `book`. */
const stem = (word: string): string => {
  const bare = word.replace(/['’]s?$/u, "")
  const cut = /^(.{3,}?)(?:ings?|ed|es|s)$/u.exec(bare)?.[1] ?? bare
  const short = cut.length > 3 ? cut.replace(/e$/u, "").replace(/y$/u, "i") : cut
  return short.replace(/(\p{L})\1$/u, "$1")
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(text.normalize("NFKC").toLowerCase()))
    .filter((part) => part.isWordLike === true)
    .map((part) => part.segment)

const QUOTED = /"([^"]+)"|“([^”]+)”|«([^»]+)»/gu

/**
 * Whether a reply matches a description.
 *
 * 1. A description with quoted words (`The agent says "goodbye"`) matches a reply that contains one of these quotes verbatim.
 * 2. Any other matches a reply with at least half of its words, compared by stem; function words, names of the two parties
 *    and verbs of speaking do not count.
 * 3. One without any other word (`The agent answers`) matches every reply that is not blank.
 */
export const fitsDescription = (description: string, reply: string): boolean => {
  const quotes = Array.from(description.matchAll(QUOTED), (match) =>
    normalizeText(match[1] ?? match[2] ?? match[3] ?? "")
  ).filter((quote) => quote !== "")
  if (quotes.length > 0) {
    const spoken = normalizeText(reply)
    return quotes.some((quote) => containsPhrase(spoken, quote))
  }
  const wanted = new Set(
    wordsOf(description)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem)
  )
  if (wanted.size === 0) return reply.trim() !== ""
  const spoken = new Set(wordsOf(reply).map(stem))
  let hits = 0
  for (const word of wanted) if (spoken.has(word)) hits++
  return hits * 2 >= wanted.size
}
