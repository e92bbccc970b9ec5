import type { CallText } from "../CallText.js"
import { wordSet } from "../Lexicon.js"
import { type Candidate, candidate } from "../Span.js"
import type { SpokenAddress } from "../SpokenForms.js"
import type { Run } from "../SpokenNumbers.js"
import { hasIbanShape, isCoordinates, isIban, isIpv4, isIpv6 } from "../Validators.js"

// Every quantifier over a class that its neighbour shares is bounded, so that reading stays linear.
export const patterns = {
  url: /\b(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"'“”\uFFFC]{2,2000}/gi,
  ipv4: /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g,
  ipv6: /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi,
  mac: /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\b/gi,
  path: /(?:\b[A-Z]:\\|~\/|(?<![\w/:.])\/(?:home|users|usr|var|etc|tmp|opt|mnt|documents|root)\/)[^\s<>"'?*|\uFFFC]{1,400}/gi,
  /** What a domain or a file name may be made of; which of them it is, is asked of the piece as a whole. */
  dotted: /[\p{L}\d_][\p{L}\d_.()-]*/gu,
  webPath: /\/[^\s<>"'\uFFFC]{0,500}/y,
  coordinates: /(?<![\d.])(-?\d{1,3}\.\d{2,10})°?\s?([NS])?,?\s{0,3}(-?\d{1,3}\.\d{2,10})°?\s?([EW]\b)?/g,
  /** North American form with an extension: "(978)645-9740x11144". */
  extended: /(?<![\w.])(?:(?:\+|00)?1[-. ]?)?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4} ?(?:x|ext\.? ?)\d{1,6}\b/gi,
  /** A number of any country that a letter's foot names: "9885 1152 office". */
  labelled: /(?<![\w.,$€£+/ -])\(?\d[\d ()-]{4,16}\d(?=[- ]\(?(?:office|fax|mobile|cell|landline)\b(?! ?\p{L}))/giu,
  handle: /(?<![\w@.])@[A-Za-z_]\w{1,30}/g
} as const

const trailing = /[.,;:!?)\]]+$/

const each = (
  text: string,
  pattern: RegExp,
  found: (value: string, start: number, match: RegExpExecArray) => Candidate | undefined,
  into: Array<Candidate>
): void => {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const one = found(match[0], match.index, match)
    if (one !== undefined) into.push(one)
  }
}

const webEndings = wordSet(
  `com org net edu gov mil io co uk app dev ai info biz me tv ly ca de fr us eu au nl ch it es se xyz online shop store hu cz pl ie nz za br mx jp cn kr ru no dk fi be at pt gr il tr sg hk ar cl gg so cc`
)
const fileEndings = wordSet(
  `pdf doc docx xls xlsx csv txt ppt pptx jpg jpeg png gif mp3 mp4 wav zip rar htm html xml json exe py js md rtf mov avi bak log psd svg tar gz tif tiff bmp odt ods sql pem key pages numbers heic webp m4a epub ini cfg yml yaml`
)
const LABEL = /^[\p{L}\d-]+$/u
const LOCAL = /[\p{L}\p{M}\d._%+'-]/u
const HOST = /[\p{L}\d.-]/u

/** Each "@" with what may stand before and after it; longer than an address can be, it is cut and not missed. */
const emails = (text: string, into: Array<Candidate>): void => {
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at
    while (start > 0 && at - start < 128 && LOCAL.test(text[start - 1] ?? "")) start--
    while (start < at && /[.'-]/.test(text[start] ?? "")) start++
    let end = at + 1
    while (end < text.length && end - at < 256 && HOST.test(text[end] ?? "")) end++
    while (end > at && /[.-]/.test(text[end - 1] ?? "")) end--
    const host = text.slice(at + 1, end).split(".")
    if (
      start < at &&
      host.length > 1 &&
      host.every((label) => label !== "") &&
      /^\p{L}{2,24}$/u.test(host[host.length - 1] ?? "")
    ) {
      into.push(candidate("email_address", start, end, 0.99, "written address"))
    }
  }
}

/** A file name or a bare domain, by what comes after its last dot. */
const dotted = (text: string, piece: string, start: number): Candidate | undefined => {
  let length = piece.length
  while (length > 0 && /[.()-]/.test(piece[length - 1] ?? "")) length--
  const name = piece.slice(0, length)
  const dot = name.lastIndexOf(".")
  if (dot <= 0) return undefined
  const ending = name.slice(dot + 1).toLowerCase()
  const before = text[start - 1]
  if (before === "@" || brands.has(name.toLowerCase())) return undefined
  const labels = name.split(".")
  if (
    webEndings.has(ending) &&
    labels.every((label) => LABEL.test(label)) &&
    /\p{L}/u.test(labels[0] ?? "") &&
    !(labels.length === 2 && (labels[0] ?? "").length < 2) &&
    text[start + length] !== "@"
  ) {
    patterns.webPath.lastIndex = start + length
    const path = patterns.webPath.exec(text)?.[0].replace(trailing, "") ?? ""
    // "Thanks.me", "it.so": the end of one sentence run into the next is no domain.
    const sure =
      /^(com|org|net|edu|gov|io|co|uk|app|dev|ai|info|biz|online|shop|store|de|fr|ca|eu|au|nl|hu|cz)$/.test(ending) ||
      path.length > 1 ||
      labels.length > 2
    return candidate("url", start, start + length + path.length, sure ? 0.8 : 0.4, "domain name")
  }
  return fileEndings.has(ending) && before !== "/"
    ? candidate("filename", start, start + length, 0.9, "file ending")
    : undefined
}

const brands = wordSet("node.js next.js vue.js asp.net e.g i.e")

/** Addresses of people and machines, written or said: e-mail, web, network, files, coordinates, IBANs. */
export const addressCandidates = (
  call: CallText,
  runs: ReadonlyArray<Run>,
  addresses: ReadonlyArray<SpokenAddress>
): ReadonlyArray<Candidate> => {
  const { text, tokens } = call
  const found: Array<Candidate> = []
  if (text.includes("@")) {
    emails(text, found)
    each(
      text,
      patterns.handle,
      (value, start) => candidate("username", start, start + value.length, 0.7, "handle"),
      found
    )
  }
  if (text.includes(".")) {
    each(
      text,
      patterns.url,
      (value, start) => {
        const end = start + value.length - (trailing.exec(value)?.[0].length ?? 0)
        return candidate("url", start, end, 0.98, "written address")
      },
      found
    )
    each(text, patterns.dotted, (piece, start) => dotted(text, piece, start), found)
    each(
      text,
      patterns.ipv4,
      (value, start) =>
        isIpv4(value) ? candidate("ip_address", start, start + value.length, 0.95, "four parts up to 255") : undefined,
      found
    )
    each(
      text,
      patterns.coordinates,
      (value, start, match) =>
        isCoordinates(Number(match[1]), Number(match[3]))
          ? candidate("location", start, start + value.trimEnd().length, 0.85, "coordinates")
          : undefined,
      found
    )
  }
  if (text.includes(":") || text.includes("-")) {
    each(
      text,
      patterns.mac,
      (value, start) => candidate("numerical_pii", start, start + value.length, 0.95, "hardware address"),
      found
    )
    each(
      text,
      patterns.ipv6,
      (value, start) =>
        isIpv6(value) ? candidate("ip_address", start, start + value.length, 0.95, "IPv6") : undefined,
      found
    )
  }
  if (text.includes("\\") || text.includes("/")) {
    each(
      text,
      patterns.path,
      (value, start) =>
        candidate("filename", start, start + value.length - (trailing.exec(value)?.[0].length ?? 0), 0.9, "file path"),
      found
    )
  }
  each(
    text,
    patterns.extended,
    (value, start) => {
      const from = text[start - 1] === "+" ? start - 1 : start
      return candidate("phone_number", from, start + value.length, 0.9, "given as 3-3-4 with an extension")
    },
    found
  )
  each(
    text,
    patterns.labelled,
    (value, start) => {
      const digits = value.replace(/\D/g, "").length
      return digits >= 6 && digits <= 13
        ? candidate("phone_number", start, start + value.length, 0.75, "named as a phone number")
        : undefined
    },
    found
  )
  each(
    text,
    patterns.iban,
    (value, start) => {
      // The pattern may have run on into the next words: the country says how long an IBAN is.
      for (let end = value.length; end >= 15; end--) {
        const bare = value.slice(0, end).replace(/ /g, "")
        if (bare.length < 15) break
        if (value[end - 1] !== " " && hasIbanShape(bare)) {
          return isIban(bare)
            ? candidate("bank_account", start, start + end, 0.98, "check digits: IBAN")
            : /\d{6}/.test(bare)
              ? candidate("bank_account", start, start + end, 0.8, "IBAN shape")
              : undefined
        }
      }
      return undefined
    },
    found
  )
  for (const address of addresses) {
    const start = tokens.all[address.from]?.start ?? 0
    const end = tokens.all[address.to - 1]?.end ?? 0
    const field = address.kind === "email" ? "email_address" : address.kind === "url" ? "url" : "filename"
    found.push(candidate(field, start, end, 0.95, "spoken address"))
  }
  for (const run of runs) {
    const start = tokens.all[run.from]?.start ?? 0
    const end = tokens.all[run.to - 1]?.end ?? 0
    if (run.spoken && run.joints.filter((joint) => joint === ".").length === 3) {
      const groups = run.pieces.reduce(
        (said, piece, at) => said + (run.joints[at] === "." ? "." : "") + piece.chars,
        ""
      )
      if (isIpv4(groups)) found.push(candidate("ip_address", start, end, 0.95, "four parts up to 255", "spoken"))
    }
    if (run.chars.length >= 15 && hasIbanShape(run.chars)) {
      found.push(
        candidate(
          "bank_account",
          start,
          end,
          isIban(run.chars) ? 0.98 : 0.8,
          isIban(run.chars) ? "check digits: IBAN" : "IBAN shape"
        )
      )
    }
  }
  return found
}
