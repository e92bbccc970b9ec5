import { acknowledgements, fillers, spokenTlds, wordSet } from "./Lexicon.js"
import type { Run } from "./SpokenNumbers.js"
import type { Token, Tokens } from "./Tokens.js"

/** An electronic address or file name said aloud ("john dot smith at gmail dot com"), in written form. */
export interface SpokenAddress {
  readonly from: number
  readonly to: number
  readonly written: string
  readonly kind: "email" | "url" | "file"
}

const fileEndings =
  wordSet(`pdf doc docx xls xlsx csv txt ppt pptx jpg jpeg png gif mp3 mp4 wav zip rar html htm xml json exe py js
 md rtf mov avi bak log pages numbers key psd svg tar gz tiff tif bmp odt ods sql pem`)

const providers = wordSet(
  `gmail googlemail yahoo hotmail outlook icloud aol protonmail proton comcast verizon msn att sbcglobal ymail rocketmail mac okhdfc oksbi okicici okaxis ybl paytm ibl axl`
)

/** Words that end an address on its left: nobody's mailbox starts with "my email is". */
const stops =
  wordSet(`a an the and or but my your his her our their is are was be it it's its that that's this to too for from with of on in
 me you i i'm we us him them email e-mail mail address emails at send sent use using under via by have has contact reach write about
 yes yeah yep no okay ok sure so well um uh er ah please thanks right actually it'll would be visit go website site page url link called named file document
 open download upload attached attach saved save folder into found check see online web get message messages account reply forward copy cc both
 username user name login just like said say know think set add new one's can could will should did do does who what whats what's where which has as not than then there here if
 opened uploaded downloaded find read look looked delete deleted rename renamed load emailed wrote tell told`)

const joiners: ReadonlyMap<string, string> = new Map([
  ["dot", "."],
  ["period", "."],
  ["point", "."],
  [".", "."],
  ["underscore", "_"],
  ["_", "_"],
  ["dash", "-"],
  ["hyphen", "-"],
  ["minus", "-"],
  ["-", "-"],
  ["plus", "+"],
  ["punto", "."],
  ["ponto", "."],
  ["punkt", "."],
  ["tiret", "-"],
  ["bindestrich", "-"],
  ["unterstrich", "_"]
])

/** Signs that join no name to another. */
const spokenSigns: ReadonlyMap<string, string> = new Map([
  ["at", "@"],
  ["@", "@"],
  ["arroba", "@"],
  ["arobase", "@"],
  ["klammeraffe", "@"],
  ["slash", "/"],
  ["/", "/"],
  ["colon", ":"],
  [":", ":"]
])

/** "at" and "dot" of addresses, also in Spanish, French, German and Portuguese. */
const atWords = wordSet("@ at arroba arobase klammeraffe")
const dotWords = wordSet("dot punto ponto punkt")

const WORD = /^[\p{L}\p{M}\d'’]+$/u

const isTight = (all: ReadonlyArray<Token>, at: number): boolean => all[at - 1]?.end === all[at]?.start

/** A call's tokens with what is known about them so far. */
class AddressReader {
  readonly all: ReadonlyArray<Token>
  readonly #runFrom: ReadonlyMap<number, Run>
  readonly #runTo: ReadonlyMap<number, Run>

  constructor({ all }: Tokens, runs: ReadonlyArray<Run>) {
    this.all = all
    this.#runFrom = new Map(runs.map((run) => [run.from, run]))
    this.#runTo = new Map(runs.map((run) => [run.to, run]))
  }

  word(at: number): string {
    const token = this.all[at]
    return token === undefined ? "" : token.lower
  }

  text(at: number): string {
    const token = this.all[at]
    return token === undefined ? "" : token.text
  }

  cls(at: number): string {
    const token = this.all[at]
    return token === undefined ? "" : token.cls
  }

  isJoiner(at: number): boolean {
    return joiners.has(this.word(at))
  }

  isWord(at: number): boolean {
    return WORD.test(this.text(at))
  }

  runFrom(at: number): Run | undefined {
    return this.#runFrom.get(at)
  }

  runTo(at: number): Run | undefined {
    return this.#runTo.get(at)
  }
}

const writeRun = (run: Run): string =>
  run.pieces
    .map((piece, index) => {
      const joint = run.joints[index] ?? ""
      return (/^[./-]$/.test(joint) ? joint : "") + piece.chars.toLowerCase()
    })
    .join("")

/** A token of an address as it is written: joiners as signs, figures, no fillers. */
const writeToken = (token: Token): string => {
  const sign = joiners.get(token.lower) ?? spokenSigns.get(token.lower)
  if (sign !== undefined) return sign
  if (token.cls === "d") return String(token.value)
  return fillers.has(token.lower) || token.text === "," ? "" : token.lower
}

/** Writes tokens as one string: numbers as figures, joiners as signs, fillers dropped. */
const write = (reader: AddressReader, from: number, to: number): string => {
  let written = ""
  for (let at = from; at < to;) {
    const run = reader.runFrom(at)
    const token = reader.all[at]
    if (run !== undefined && run.to <= to) {
      written += writeRun(run)
      at = run.to
    } else {
      if (token !== undefined) written += writeToken(token)
      at++
    }
  }
  return written
}

/**
 * The left end of a name that is joined by signs: steps over words while they can be part of it. Words side by side
 * belong together only up to `maxWords`, and a stop word ends it unless a sign ties it in.
 */
/** Figures of a number that is a value of its own. */
const LONG_NUMBER = 7

/** "... oh one six five, luz at example dot com": a whole number is no part of a name. */
const isLongNumber = (reader: AddressReader, run: Run | undefined, from: number, at: number): boolean =>
  run !== undefined && from < at && run.digits >= LONG_NUMBER && !reader.isJoiner(from)

const leftEnd = (reader: AddressReader, at: number, floor: number, maxWords: number): number => {
  const { all } = reader
  let from = at
  let plain = 0
  while (from > floor) {
    const run = reader.runTo(from)
    if (isLongNumber(reader, run, from, at)) break
    if (run !== undefined && run.from >= floor) {
      from = run.from
      continue
    }
    if (reader.isJoiner(from - 1)) {
      // A full stop before an address ends a sentence; only a spoken or tight one joins.
      if (/^[.-]$/.test(reader.text(from - 1)) && !(isTight(all, from) && isTight(all, from - 1))) break
      from--
      continue
    }
    const isTied = from < at && reader.isJoiner(from)
    const word = reader.word(from - 1)
    if (!reader.isWord(from - 1) || (stops.has(word) && !isTied) || fillers.has(word)) break
    if (!isTied && reader.text(from - 1).length > 1 && plain >= maxWords) break
    plain++
    from--
  }
  while (from < at && reader.isJoiner(from)) from++
  return from
}

const MAX_ACKNOWLEDGED = 8
const EMAIL_REACH = 24
const isEmailWord = (word: string): boolean => /^(?:e-?mails?|upi)$/.test(word)

/** The end of what was said before a turn that begins with "at ...", and before the "mhm" of the other side, if e-mail is spoken of. */
const turnBefore = (reader: AddressReader, sign: number, floor: number): number => {
  const isPause = reader.text(sign - 1) === "," || fillers.has(reader.word(sign - 1))
  if (reader.cls(sign - 1) !== "n" && !isPause) return sign
  let at = sign
  while (
    at > floor &&
    sign - at < MAX_ACKNOWLEDGED &&
    (reader.cls(at - 1) === "n" ||
      acknowledgements.has(reader.word(at - 1)) ||
      fillers.has(reader.word(at - 1)) ||
      /^[,.…-]$/.test(reader.text(at - 1)))
  )
    at--
  // "n dot lowry erm at example dot com"
  if (reader.isJoiner(at - 2) && reader.isWord(at - 3) && reader.isWord(at - 1)) return at
  for (let back = at - 1; back >= Math.max(floor, at - EMAIL_REACH); back--)
    if (isEmailWord(reader.word(back))) return at
  return sign
}

/** Where a file's ending stops that begins at a token, plain or spelled; undefined where it is none. */
const fileEnd = (reader: AddressReader, at: number): number | undefined => {
  if (fileEndings.has(reader.word(at))) return at + 1
  const spelled = reader.runFrom(at)
  return spelled !== undefined && fileEndings.has(spelled.chars.toLowerCase()) ? spelled.to : undefined
}

/** Most tokens of a domain before its last dot. */
const MAX_DOMAIN = 8

/** The "at" before a domain whose last dot stands at a token; undefined where there is none. */
const signBefore = (reader: AddressReader, dot: number, floor: number): number | undefined => {
  let sign = dot - 1
  while (
    sign >= floor &&
    dot - 1 - sign < MAX_DOMAIN &&
    !atWords.has(reader.word(sign)) &&
    reader.cls(sign) !== "n" &&
    !/^[@,:;?!]$/.test(reader.text(sign))
  )
    sign--
  const isSign = sign >= floor && sign < dot - 1 && dot - 1 - sign < MAX_DOMAIN
  return isSign && atWords.has(reader.word(sign)) ? sign : undefined
}

/** Where a web address begins with "w w w": over small words in it, "w w w dot holm and sons dot net". */
const webStart = (reader: AddressReader, from: number, floor: number): number => {
  for (let at = from; at > floor && from - at < MAX_DOMAIN && reader.cls(at - 1) !== "n"; at--) {
    const run = reader.runTo(at)
    if (run !== undefined && run.from >= floor && run.chars === "WWW") return run.from
    if (reader.word(at - 1) === "www") return at - 1
  }
  return from
}

/** Where a web address begins with its scheme: "h t t p s colon slash slash". */
const schemeStart = (reader: AddressReader, from: number, floor: number): number => {
  let scheme = from
  while (scheme - 1 >= floor && /^(slash|colon|\/|:|https?)$/.test(reader.word(scheme - 1))) scheme--
  if (scheme === from) return from
  const run = reader.runTo(scheme)
  return run !== undefined && run.from >= floor && /^HTTPS?$/.test(run.chars) ? run.from : scheme
}

const MAX_PATH = 6

/** Where the "slash" of a path ends; undefined where none stands. */
const slashEnd = (reader: AddressReader, at: number): number | undefined => {
  if (reader.word(at) === "slash") return at + 1
  return reader.word(at) === "forward" && reader.word(at + 1) === "slash" ? at + 2 : undefined
}

/** Where a web address ends behind its domain: "slash about dash us". */
const pathEnd = (reader: AddressReader, at: number): number => {
  let to = at
  for (let part = 0; part < MAX_PATH; part++) {
    const slash = slashEnd(reader, to)
    if (slash === undefined) return to
    to = reader.runFrom(slash)?.to ?? (reader.isWord(slash) ? slash + 1 : slash)
    while (reader.isJoiner(to) && reader.text(to) !== "." && reader.isWord(to + 1)) to += 2
  }
  return to
}

const addressOf = (reader: AddressReader, from: number, to: number, kind: SpokenAddress["kind"]): SpokenAddress => ({
  from,
  to,
  written: write(reader, from, to),
  kind
})

/** "report dot pdf" */
const fileName = (reader: AddressReader, dot: number, floor: number): SpokenAddress | undefined => {
  const to = fileEnd(reader, dot + 1)
  if (to === undefined) return undefined
  const from = leftEnd(reader, dot, floor, 3)
  return from < dot ? addressOf(reader, from, to, "file") : undefined
}

/** "dot", or a full stop without spaces around it: "dot co.in". */
const isDomainDot = (reader: AddressReader, at: number): boolean =>
  dotWords.has(reader.word(at)) || (reader.text(at) === "." && isTight(reader.all, at) && isTight(reader.all, at + 1))

/** Where the ending of a domain stops that begins at a token, "com" or spelled as "d e"; undefined where none does. */
const tldEnd = (reader: AddressReader, at: number): number | undefined => {
  if (spokenTlds.has(reader.word(at))) return at + 1
  const letters = reader.word(at) + reader.word(at + 1)
  return letters.length === 2 && reader.word(at).length === 1 && spokenTlds.has(letters) ? at + 2 : undefined
}

const BEFORE_MAILBOX = /^(to|is|it's|email|address|at|use|try)$/

const THING = /^(the|this|that|a|an|our|their|your)$/

/** An e-mail or web address by its last "dot" and a known ending. */
const byDomain = (reader: AddressReader, dot: number, floor: number): SpokenAddress | undefined => {
  let to = tldEnd(reader, dot + 1) ?? dot + 2
  while (isDomainDot(reader, to)) {
    const end = tldEnd(reader, to + 1)
    if (end === undefined) break
    to = end
  }
  const sign = signBefore(reader, dot, floor)
  if (sign !== undefined) {
    const local = turnBefore(reader, sign, floor)
    const from = leftEnd(reader, local, floor, 3)
    // "the form at apply dot example dot com": a thing that is at a web address
    const isThing = from === local - 1 && THING.test(reader.word(from - 1)) && !providers.has(reader.word(sign + 1))
    // "send it to the red fox at ...": the article is said of no thing
    const hasArticle =
      from < local - 1 && THING.test(reader.word(from - 1)) && BEFORE_MAILBOX.test(reader.word(from - 2))
    if (from < local && !isThing) return addressOf(reader, hasArticle ? from - 1 : from, to, "email")
  }
  const domain =
    sign === undefined
      ? leftEnd(reader, dot, floor, 2)
      : reader.cls(sign - 1) === "n"
        ? sign + 1
        : Math.max(sign + 1, leftEnd(reader, dot, sign + 1, 2))
  const first = sign === undefined ? webStart(reader, domain, floor) : domain
  return first < dot ? addressOf(reader, schemeStart(reader, first, floor), pathEnd(reader, to), "url") : undefined
}

const isDot = (reader: AddressReader, at: number): boolean =>
  dotWords.has(reader.word(at)) || (/^(period|point)$/.test(reader.word(at)) && spokenTlds.has(reader.word(at + 1)))

/** Whether words before "at gmail" are an address: by signs or figures among them, or "email" before them. */
const isMailbox = (reader: AddressReader, from: number, at: number, floor: number): boolean => {
  if (at - from > 1)
    for (let part = from; part < at; part++) if (/^[LNd]$/.test(reader.cls(part)) || reader.isJoiner(part)) return true
  for (let back = from - 1; back >= Math.max(floor, from - 12); back--) if (isEmailWord(reader.word(back))) return true
  return false
}

/** "jane doe ninety two at gmail" */
const atProvider = (reader: AddressReader, at: number, floor: number): SpokenAddress | undefined => {
  const sign = reader.word(at)
  if (!atWords.has(sign) || !providers.has(reader.word(at + 1))) return undefined
  if (dotWords.has(reader.word(at + 2)) || reader.word(at + 2) === ".") return undefined
  const from = leftEnd(reader, at, floor, 3)
  return from < at && isMailbox(reader, from, at, floor) ? addressOf(reader, from, at + 2, "email") : undefined
}

const addressAt = (reader: AddressReader, at: number, floor: number): SpokenAddress | undefined => {
  if (!isDot(reader, at)) return atProvider(reader, at, floor)
  return tldEnd(reader, at + 1) !== undefined ? byDomain(reader, at, floor) : fileName(reader, at, floor)
}

/** Finds addresses by the part that is nothing else: "dot" and a known ending, or "at" and a known provider. */
export const spokenAddressesOf = (tokens: Tokens, runs: ReadonlyArray<Run>): ReadonlyArray<SpokenAddress> => {
  const reader = new AddressReader(tokens, runs)
  const found: Array<SpokenAddress> = []
  let floor = 0
  for (let at = 1; at < reader.all.length;) {
    const address = addressAt(reader, at, floor)
    if (address !== undefined) {
      found.push(address)
      floor = address.to
    }
    at = address?.to ?? at + 1
  }
  return found
}
