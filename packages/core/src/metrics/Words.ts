/** Words and phrases, for metrics of text. */

/** A run of letters, marks and digits, with apostrophes and hyphens inside: `don't` and `twenty-one` are one word each. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’\u2010\u2011-][\p{L}\p{M}\p{N}]+)*/gu

/** Scripts without spaces between words, which need a dictionary to find words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

const ASCII = /^[\0-\x7f]*$/

/** Whether a character of ASCII is a letter or a digit. */
const isAlphanumeric = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

/** The matches of `WORD` in a text of ASCII: a fifth of the time that the expression takes. */
const countAsciiWords = (text: string): number => {
  let count = 0
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isAlphanumeric(code)) {
      if (!isInWord) count++
      isInWord = true
    } else {
      // An apostrophe or a hyphen, with a letter on both sides.
      isInWord = isInWord && (code === 39 || code === 45) && isAlphanumeric(text.charCodeAt(at + 1))
    }
  }
  return count
}

/** The number of words in a text; punctuation and emoji do not count. */
export const countWords = (text: string): number => {
  if (ASCII.test(text)) return countAsciiWords(text)
  let count = 0
  if (UNSPACED.test(text)) {
    for (const part of segmenter.segment(text)) if (part.isWordLike === true) count++
    return count
  }
  for (const _ of text.matchAll(WORD)) count++
  return count
}

/** `WORD` in a text of ASCII in lower case: half of the time. */
const ASCII_WORD = /[a-z0-9]+(?:['-][a-z0-9]+)*/g

/** A character of such a script with its combining marks. */
const UNSPACED_CHARACTER = new RegExp(`${UNSPACED.source}\\p{M}*`, "gu")

const spaced = (words: ReadonlyArray<string> | null): string => (words === null ? "" : ` ${words.join(" ")} `)

/**
 * A text normalized for phrase searches: its words in lower case, with a space around each. In scripts without spaces
 * every character counts as a word.
 */
export const normalizeText = (text: string): string => {
  if (ASCII.test(text)) return spaced(text.toLowerCase().match(ASCII_WORD))
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'")
  return spaced((UNSPACED.test(plain) ? plain.replace(UNSPACED_CHARACTER, " $& ") : plain).match(WORD))
}

/** Whether a normalized text contains a phrase as whole words; false for a phrase without words. */
export const containsPhrase = (text: string, phrase: string): boolean => phrase !== "" && text.includes(phrase)
