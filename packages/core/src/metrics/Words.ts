/** Words and phrases of what was said, for measures of text. */

/** A run of letters, marks and digits, with apostrophes and hyphens inside: `don't` and `twenty-one` are one word each. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’\u2010\u2011-][\p{L}\p{M}\p{N}]+)*/gu

/** Scripts that put no blanks between words; what is a word in them takes a dictionary. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** How many words a text has; signs and emoji are none. */
export const countWords = (text: string): number => {
  let count = 0
  if (UNSPACED.test(text)) {
    for (const part of segmenter.segment(text)) if (part.isWordLike === true) count++
    return count
  }
  for (const _ of text.matchAll(WORD)) count++
  return count
}

/** A sign of such a script, with the marks that belong to it. */
const UNSPACED_SIGN = new RegExp(`${UNSPACED.source}\\p{M}*`, "gu")

/**
 * A text as phrases are looked for in it: words alone, in lower case, with a blank around each. Of scripts without blanks
 * each sign stands for itself, so that a phrase is found wherever its signs follow each other.
 */
export const normalizeText = (text: string): string => {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'")
  const words = (UNSPACED.test(plain) ? plain.replace(UNSPACED_SIGN, " $& ") : plain).match(WORD)
  return words === null ? "" : ` ${words.join(" ")} `
}

/** Whether a normalised text has a phrase as whole words. A phrase without words is in no text. */
export const containsPhrase = (text: string, phrase: string): boolean => phrase !== "" && text.includes(phrase)
