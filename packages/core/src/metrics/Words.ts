/** Words and phrases, for metrics of text. */

/** A run of letters, marks and digits, with apostrophes and hyphens inside: `don't` and `twenty-one` are one word each. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’\u2010\u2011-][\p{L}\p{M}\p{N}]+)*/gu

/** Scripts without spaces between words, which need a dictionary to find words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** The number of words in a text; punctuation and emoji do not count. */
export const countWords = (text: string): number => {
  let count = 0
  if (UNSPACED.test(text)) {
    for (const part of segmenter.segment(text)) if (part.isWordLike === true) count++
    return count
  }
  for (const _ of text.matchAll(WORD)) count++
  return count
}

/** A character of such a script with its combining marks. */
const UNSPACED_CHARACTER = new RegExp(`${UNSPACED.source}\\p{M}*`, "gu")

/**
 * A text normalized for phrase searches: its words in lower case, with a space around each. In scripts without spaces
 * every character counts as a word.
 */
export const normalizeText = (text: string): string => {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'")
  const words = (UNSPACED.test(plain) ? plain.replace(UNSPACED_CHARACTER, " $& ") : plain).match(WORD)
  return words === null ? "" : ` ${words.join(" ")} `
}

/** Whether a normalized text contains a phrase as whole words; false for a phrase without words. */
export const containsPhrase = (text: string, phrase: string): boolean => phrase !== "" && text.includes(phrase)
