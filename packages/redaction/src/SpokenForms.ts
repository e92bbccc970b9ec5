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
  `gmail googlemail yahoo hotmail outlook icloud aol protonmail proton comcast verizon msn att sbcglobal ymail rocketmail mac`
)

/** Words that end an address on its left: nobody's mailbox starts with "my email is". */
const stops =
  wordSet(`a an the and or but my your his her our their is are was be it it's its that that's this to too for from with of on in
 me you i i'm we us him them email e-mail mail address emails at send sent use using under via by have has contact reach write about
 yes yeah yep no okay ok sure so well um uh er ah please thanks right actually it'll would be visit go website site page url link called named file document
 open download upload attached attach saved save folder into found check see online web get message messages account reply forward copy cc both
 username user name login just like said say know think set add new one's can could will should did do does who what whats what's where which has as not than then there here if
 opened uploaded downloaded find read look looked delete deleted rename renamed load emailed wrote tell told`)

const joiners: Readonly<Record<string, string>> = {
  dot: ".",
  period: ".",
  point: ".",
  ".": ".",
  underscore: "_",
  _: "_",
  dash: "-",
  hyphen: "-",
  minus: "-",
  "-": "-",
  plus: "+"
}

const WORD = /^[\p{L}\p{M}\d'’]+$/u

const adjacent = (all: ReadonlyArray<Token>, at: number): boolean => all[at - 1]?.end === all[at]?.start

interface Around {
  readonly tokens: Tokens
  readonly runFrom: ReadonlyMap<number, Run>
  readonly runTo: ReadonlyMap<number, Run>
}

/** Writes tokens as one string: numbers as figures, joiners as signs, fillers dropped. */
const write = (around: Around, from: number, to: number): string => {
  const { all } = around.tokens
  let written = ""
  for (let at = from; at < to;) {
    const run = around.runFrom.get(at)
    if (run !== undefined && run.to <= to && run.pieces.length > 0) {
      run.pieces.forEach((piece, index) => {
        const joint = run.joints[index] ?? ""
        written += (joint === "." || joint === "-" || joint === "/" ? joint : "") + piece.chars.toLowerCase()
      })
      at = run.to
      continue
    }
    const token = all[at]
    if (token !== undefined) {
      const joiner = joiners[token.lower]
      if (joiner !== undefined) written += joiner
      else if (token.lower === "at" || token.text === "@") written += "@"
      else if (token.lower === "slash" || token.text === "/") written += "/"
      else if (token.lower === "colon" || token.text === ":") written += ":"
      else if (token.cls === "d") written += String(token.value)
      else if (!fillers.has(token.lower) && token.text !== ",") written += token.lower
    }
    at++
  }
  return written
}

/**
 * The left end of a name that is joined by signs: steps over words while they can be part of it. Words side by side
 * belong together only up to `maxWords`, and a stop word ends it unless a sign ties it in.
 */
const leftEnd = (around: Around, at: number, floor: number, maxWords: number, digitsToo: boolean): number => {
  const { all } = around.tokens
  let from = at
  let plain = 0
  while (from > floor) {
    const run = around.runTo.get(from)
    if (run !== undefined && run.from >= floor && digitsToo) {
      from = run.from
      continue
    }
    const token = all[from - 1]
    if (token === undefined) break
    const tied = from < at && joiners[all[from]?.lower ?? ""] !== undefined
    if (joiners[token.lower] !== undefined) {
      // A full stop before an address ends a sentence; only a spoken or tight one joins.
      if ((token.text === "." || token.text === "-") && !(adjacent(all, from) && adjacent(all, from - 1))) break
      from--
      continue
    }
    if (!WORD.test(token.text) || (stops.has(token.lower) && !tied)) break
    if (fillers.has(token.lower)) break
    if (!tied && token.text.length > 1) {
      if (plain >= maxWords) break
    }
    plain++
    from--
  }
  while (from < at && joiners[all[from]?.lower ?? ""] !== undefined) from++
  return from
}

const MAX_ACKNOWLEDGED = 8
const EMAIL_REACH = 24

/** The end of what was said before a turn that begins with "at ...", and before the "mhm" of the other side, if e-mail is spoken of. */
const turnBefore = (all: Tokens["all"], sign: number, floor: number): number => {
  let at = sign
  while (
    at > floor &&
    sign - at < MAX_ACKNOWLEDGED &&
    (all[at - 1]?.cls === "n" ||
      acknowledgements.has(all[at - 1]?.lower ?? "") ||
      /^[,.…-]$/.test(all[at - 1]?.text ?? ""))
  )
    at--
  if (all[sign - 1]?.cls !== "n") return sign
  for (let back = at - 1; back >= Math.max(floor, at - EMAIL_REACH); back--)
    if (/^e-?mails?$/.test(all[back]?.lower ?? "")) return at
  return sign
}

/** Finds addresses by the part nobody says otherwise: "dot" and a known ending, or "at" and a known provider. */
export const spokenAddressesOf = (tokens: Tokens, runs: ReadonlyArray<Run>): ReadonlyArray<SpokenAddress> => {
  const { all } = tokens
  const around: Around = {
    tokens,
    runFrom: new Map(runs.map((run) => [run.from, run])),
    runTo: new Map(runs.map((run) => [run.to, run]))
  }
  const found: Array<SpokenAddress> = []
  let floor = 0
  for (let at = 1; at < all.length; at++) {
    const token = all[at]
    if (token === undefined) continue
    if (token.lower === "dot" || (token.lower === "period" && spokenTlds.has(all[at + 1]?.lower ?? ""))) {
      const ending = all[at + 1]?.lower ?? ""
      const spelled = around.runFrom.get(at + 1)
      const spelledEnding = spelled !== undefined ? spelled.chars.toLowerCase() : ""
      const isTld = spokenTlds.has(ending)
      const file = fileEndings.has(ending)
        ? at + 2
        : fileEndings.has(spelledEnding) && spelled !== undefined
          ? spelled.to
          : 0
      if (file > 0 && !isTld) {
        const from = leftEnd(around, at, floor, 3, true)
        if (from < at) {
          found.push({ from, to: file, written: write(around, from, file), kind: "file" })
          floor = file
          at = file - 1
        }
        continue
      }
      if (!isTld) continue
      let to = at + 2
      while (all[to]?.lower === "dot" && spokenTlds.has(all[to + 1]?.lower ?? "")) to += 2
      // The domain, leftwards until "at", a sign or a stop.
      let sign = at - 1
      let steps = 0
      while (sign >= floor && steps < 8) {
        const word = all[sign]
        if (
          word === undefined ||
          word.text === "@" ||
          word.lower === "at" ||
          word.cls === "n" ||
          /^[,:;?!]$/.test(word.text)
        )
          break
        sign--
        steps++
      }
      const isAt = sign >= floor && steps > 0 && steps < 8 && (all[sign]?.text === "@" || all[sign]?.lower === "at")
      const domainFrom = isAt ? sign + 1 : leftEnd(around, at, floor, 2, true)
      if (isAt) {
        const local = turnBefore(all, sign, floor)
        const from = leftEnd(around, local, floor, 3, true)
        if (from < local) {
          found.push({ from, to, written: write(around, from, to), kind: "email" })
          floor = to
          at = to - 1
          continue
        }
      }
      let from = isAt ? Math.max(sign + 1, leftEnd(around, at, sign + 1, 2, true)) : domainFrom
      if (from >= at) continue
      // "h t t p s colon slash slash"
      let scheme = from
      while (scheme - 1 >= floor && /^(slash|colon|\/|:|https?)$/.test(all[scheme - 1]?.lower ?? "")) scheme--
      if (scheme < from) {
        const run = around.runTo.get(scheme)
        from = run !== undefined && run.from >= floor && /^HTTPS?$/.test(run.chars) ? run.from : scheme
      }
      for (
        let path = 0;
        path < 6 && (all[to]?.lower === "slash" || (all[to]?.lower === "forward" && all[to + 1]?.lower === "slash"));
        path++
      ) {
        to += all[to]?.lower === "forward" ? 2 : 1
        const run = around.runFrom.get(to)
        if (run !== undefined) to = run.to
        else if (WORD.test(all[to]?.text ?? "")) to++
        while (
          joiners[all[to]?.lower ?? ""] !== undefined &&
          all[to]?.text !== "." &&
          WORD.test(all[to + 1]?.text ?? "")
        )
          to += 2
      }
      found.push({ from, to, written: write(around, from, to), kind: "url" })
      floor = to
      at = to - 1
    } else if (
      (token.lower === "at" || token.text === "@") &&
      providers.has(all[at + 1]?.lower ?? "") &&
      all[at + 2]?.lower !== "dot" &&
      all[at + 2]?.text !== "."
    ) {
      const from = leftEnd(around, at, floor, 3, true)
      let said =
        from < at &&
        at - from > 1 &&
        Array.from({ length: at - from }, (_, i) => all[from + i]).some(
          (word) =>
            word !== undefined &&
            (word.cls === "L" || joiners[word.lower] !== undefined || word.cls === "N" || word.cls === "d")
        )
      for (let back = from - 1; !said && back >= Math.max(floor, from - 12); back--)
        said = /^e-?mails?$/.test(all[back]?.lower ?? "")
      if (from < at && said) {
        found.push({ from, to: at + 2, written: write(around, from, at + 2), kind: "email" })
        floor = at + 2
        at++
      }
    }
  }
  return found
}

/** A text in written form and, for each of its characters, where in the original it was said. */
export interface WrittenForm {
  readonly text: string
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/**
 * The normaliser: spoken numbers as figures, spelled letters joined, spoken addresses with their signs, the rest as it
 * is. Every character of the answer knows the stretch of the original it came from, in UTF-16 code units.
 */
export const writtenFormOf = (
  tokens: Tokens,
  runs: ReadonlyArray<Run>,
  addresses: ReadonlyArray<SpokenAddress>
): WrittenForm => {
  const { all, text } = tokens
  const parts: Array<string> = []
  const starts: Array<number> = []
  const ends: Array<number> = []
  const put = (said: string, start: number, end: number): void => {
    parts.push(said)
    starts.push(...new Array<number>(said.length).fill(start))
    ends.push(...new Array<number>(said.length).fill(end))
  }
  const copy = (start: number, end: number): void => {
    if (end <= start) return
    parts.push(text.slice(start, end))
    for (let unit = start; unit < end; unit++) {
      starts.push(unit)
      ends.push(unit + 1)
    }
  }
  const inAddress = (run: Run): boolean =>
    addresses.some((address) => run.from >= address.from && run.from < address.to)
  const units = [
    ...addresses.map((address) => ({ from: address.from, to: address.to, address, run: undefined })),
    ...runs
      .filter((run) => run.spoken && !inAddress(run))
      .map((run) => ({ from: run.from, to: run.to, address: undefined, run }))
  ].sort((a, b) => a.from - b.from)
  let done = 0
  for (const unit of units) {
    const start = all[unit.from]?.start ?? 0
    const end = all[unit.to - 1]?.end ?? 0
    if (start < done) continue
    copy(done, start)
    if (unit.address !== undefined) put(unit.address.written, start, end)
    else {
      unit.run.pieces.forEach((piece, index) => {
        const joint = unit.run.joints[index] ?? ""
        const from = all[piece.from]?.start ?? 0
        if (joint === "." || joint === "-" || joint === "/") put(joint, from, from)
        put(piece.chars, from, all[piece.to - 1]?.end ?? 0)
      })
    }
    done = end
  }
  copy(done, text.length)
  return { text: parts.join(""), starts: Int32Array.from(starts), ends: Int32Array.from(ends) }
}
