import { gluedBreaks } from "./GluedValues.js"
import { hidePlaceholders, OPAQUE } from "./SensitiveField.js"

/**
 * A text in plain characters, as recognizers read it, with offsets into the original: unit `i` of `text` stands for
 * `starts[i]` to `ends[i]` of the original, in UTF-16 code units. Both are undefined if the text was already plain.
 */
export interface PlainText {
  readonly text: string
  readonly starts: Int32Array | undefined
  readonly ends: Int32Array | undefined
}

interface Place {
  readonly start: number
  readonly end: number
}

const BEYOND_ASCII = /[^\t-\r -~]/

export const plainPatterns = {
  /**
   * The rest of a terminal's escape sequence for a color or a cursor move, after its introducer. Numbers of at most three
   * digits, so that no value is skipped as one.
   */
  "terminal escape": /[?<=>]?(?:\d{0,3}[;:]){0,16}\d{0,3}[A-Za-z]/y,
  /** Characters that separate digits as a hyphen or a full stop does, but have other uses between words. */
  "sign between figures":
    /(?<=[\d)\uFFFC] ?)[\u2013-\u2015\u30FC\u30FB\u2022\u00B7\u2219\u22C5\u2027](?= ?[\d(\uFFFC])/g,
  /** Between these letters and digits it does not end a sentence. */
  "ideographic full stop": /(?<=[A-Za-z\d\uFFFC])\u3002(?=[A-Za-z\d\uFFFC])/g
} as const

/** Invisible characters: controls, formats (zero-width, direction, tags), selectors, fillers, lone surrogates. */
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]$/u

const SIGNS: Readonly<Record<string, string>> = {
  "\u001C": " ",
  "\u001D": " ",
  "\u001E": " ",
  "\u001F": " ",
  "\u0085": " ",
  "\u2028": " ",
  "\u2029": " ",
  "\u2800": " ",
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2212": "-",
  "\u2043": "-",
  "\u2044": "/",
  "\u2215": "/",
  "\u2236": ":",
  "\u3001": ",",
  "\uFF64": ",",
  "\u060C": ",",
  "\u066C": ",",
  "\u066B": ".",
  "\u06D4": ".",
  "\u0964": "."
}

const zeroOf = (point: number): number => {
  // Unicode encodes decimal digits in blocks of ten, from 0 to 9.
  let first = point
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first--
  return first
}

/** The plain character for a code point, "" for an invisible one, or undefined if it is already plain. */
const read = (point: number): string | undefined => {
  const char = String.fromCodePoint(point)
  const sign = SIGNS[char]
  if (sign !== undefined) return sign
  if (INVISIBLE.test(char)) return ""
  if (/^\p{Nd}$/u.test(char)) return String((point - zeroOf(point)) % 10)
  if (/^\p{Zs}$/u.test(char)) return " "
  if (mayEncircle(point)) return undefined
  const compatible = char.normalize("NFKC")
  return compatible !== char && compatible.length === 1 && compatible !== OPAQUE ? compatible : undefined
}

/** Entries in the cache: more than the letters of any one language. */
const MOST_KNOWN = 1 << 15

const known = new Map<number, string | undefined>()

const plainOf = (point: number): string | undefined => {
  if (known.has(point)) return known.get(point)
  const plain = read(point)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(point, plain)
  return plain
}

const isFigure = (unit: number | undefined): boolean => unit !== undefined && unit >= 48 && unit <= 57

/** Superscript, subscript and circled digits. */
const mayEncircle = (point: number): boolean =>
  point === 0xb2 ||
  point === 0xb3 ||
  point === 0xb9 ||
  (point >= 0x2070 && point <= 0x2089) ||
  (point >= 0x2460 && point <= 0x2468) ||
  point === 0x24ea

/** "①", "²": a digit next to another one of its kind, otherwise a mark at a word. */
const figureOf = (point: number): string | undefined => {
  if (!mayEncircle(point)) return undefined
  const plain = String.fromCodePoint(point).normalize("NFKC")
  return isFigure(plain.charCodeAt(0)) ? plain : undefined
}

const hasFigureAt = (text: string, at: number): boolean => figureOf(text.codePointAt(at) ?? 0) !== undefined

const OF_ADDRESS = /[\p{L}\p{M}\d._%+\u2013-\u2015-]/u
const LONG_DASHES = /[\u2013-\u2015]/g

/** Characters of an address that are read on either side of its "@". */
const ADDRESS_REACH = 64

/** Replaces dashes that a word processor put into addresses by hyphens. */
const addressesIn = (text: string): string => {
  let out = ""
  let done = 0
  for (let sign = text.indexOf("@"); sign >= 0; sign = text.indexOf("@", sign + 1)) {
    let start = sign
    while (start > done && sign - start < ADDRESS_REACH && OF_ADDRESS.test(text[start - 1] ?? "")) start--
    let end = sign + 1
    while (end < text.length && end - sign < ADDRESS_REACH && OF_ADDRESS.test(text[end] ?? "")) end++
    out += text.slice(done, start) + text.slice(start, end).replace(LONG_DASHES, "-")
    done = end
  }
  return out + text.slice(done)
}

const partsOf = (text: string): string => {
  if (!/[\u2013-\u2015\u30FC\u30FB\u2022\u00B7\u2219\u22C5\u2027\u3002]/.test(text)) return text
  const parted = text
    .replace(plainPatterns["sign between figures"], (sign) => (/[\u2013-\u2015\u30FC\u30FB]/.test(sign) ? "-" : "."))
    .replace(plainPatterns["ideographic full stop"], ".")
  return parted.includes("@") ? addressesIn(parted) : parted
}

/** Printable ASCII, tab and line breaks. */
const isPlainUnit = (unit: number): boolean => (unit >= 32 && unit < 127) || (unit >= 9 && unit <= 13)

const isVariationSelector = (point: number): boolean => point >= 0xfe00 && point <= 0xfe0f

/** The end of the terminal escape sequence that starts here, or `at` if none does. */
const skipEscape = (text: string, unit: number, at: number): number => {
  if (unit === 0x1b && text[at + 1] !== "[") return at
  const escape = plainPatterns["terminal escape"]
  escape.lastIndex = at + (unit === 0x1b ? 2 : 1)
  return escape.test(text) ? escape.lastIndex : at
}

/** Converts a text character by character, without inserting any. Linear in the text's length. */
export const plainCharacters = (original: string): PlainText => {
  if (!BEYOND_ASCII.test(original)) return { text: original, starts: undefined, ends: undefined }
  const units = new Uint16Array(original.length)
  const starts = new Int32Array(original.length)
  const ends = new Int32Array(original.length)
  let length = 0
  const put = (unit: number, start: number, end: number): void => {
    units[length] = unit
    starts[length] = start
    ends[length] = end
    length++
  }
  let encircledBefore = false
  for (let at = 0; at < original.length;) {
    const unit = original.charCodeAt(at)
    if (isPlainUnit(unit)) {
      put(unit, at, at + 1)
      at++
      encircledBefore = false
      continue
    }
    if (unit === 0x9b || unit === 0x1b) {
      const end = skipEscape(original, unit, at)
      if (end > at) {
        at = end
        continue
      }
    }
    const point = original.codePointAt(at) ?? unit
    const end = at + (point > 0xffff ? 2 : 1)
    let plain = plainOf(point)
    if (plain === "") {
      // A variation selector belongs to the digit before it.
      if (isVariationSelector(point) && isFigure(units[length - 1])) ends[length - 1] = end
      at = end
      continue
    }
    const figure = plain === undefined ? figureOf(point) : undefined
    if (figure !== undefined && (encircledBefore || hasFigureAt(original, end))) plain = figure
    encircledBefore = figure !== undefined
    if (plain !== undefined) put(plain.charCodeAt(0), at, end)
    else if (isFigure(units[length - 1]) && isMark(point)) ends[length - 1] = end
    else for (; at < end; at++) put(original.charCodeAt(at), at, at + 1)
    at = end
  }
  return {
    text: partsOf(Buffer.from(units.buffer, 0, length * 2).toString("utf16le")),
    starts: starts.subarray(0, length),
    ends: ends.subarray(0, length)
  }
}

const MARK = /^\p{M}$/u
const isMark = (point: number): boolean => MARK.test(String.fromCodePoint(point))

/** Separates values from adjacent letters ("Tel415-555-2671") by spaces that stand for no character. */
const withBreaks = (plain: PlainText): PlainText => {
  const breaks = gluedBreaks(plain.text)
  if (breaks.length === 0) return plain
  const length = plain.text.length + breaks.length
  const starts = new Int32Array(length)
  const ends = new Int32Array(length)
  let text = ""
  let from = 0
  let to = 0
  const copy = (until: number): void => {
    text += plain.text.slice(from, until)
    for (; from < until; from++, to++) {
      starts[to] = plain.starts?.[from] ?? from
      ends[to] = plain.ends?.[from] ?? from + 1
    }
  }
  for (const at of breaks) {
    copy(at)
    const place = plain.ends?.[at - 1] ?? at
    text += " "
    starts[to] = place
    ends[to] = place
    to++
  }
  copy(plain.text.length)
  return { text, starts, ends }
}

/** What recognizers read: plain characters, values separated from adjacent letters, placeholders made opaque. */
export const plainTextOf = (original: string): PlainText =>
  withBreaks(
    plainCharacters(hidePlaceholders(original.includes(OPAQUE) ? original.replaceAll(OPAQUE, "\u200B") : original))
  )

/** The range of the original for a range of the plain text, including the characters omitted inside it. */
export const placeIn = ({ ends, starts }: PlainText, { end, start }: Place): Place =>
  starts === undefined || ends === undefined ? { start, end } : { start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }

const firstBeyond = (places: Int32Array, offset: number): number => {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? Infinity) > offset) high = middle
    else low = middle + 1
  }
  return low
}

/** The range of the plain text for a range of the original; empty if none of it is read. */
export const readingOf = ({ ends, starts }: PlainText, { end, start }: Place): Place =>
  starts === undefined || ends === undefined
    ? { start, end }
    : { start: firstBeyond(ends, start), end: firstBeyond(starts, end - 1) }
