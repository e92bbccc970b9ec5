import type { CallText } from "../CallText.js"
import { wordSet } from "../Lexicon.js"
import { type Candidate, candidate } from "../Span.js"
import type { SpokenAddress } from "../SpokenForms.js"
import type { Run } from "../SpokenNumbers.js"
import { hasIbanShape, isCoordinates, isIban, isIpv4, isIpv6 } from "../Validators.js"

// Every quantifier over a class that its neighbour shares is bounded, so that reading stays linear.
export const patterns = {
  email: /[\p{L}\d._%+-]{1,64}@(?:[\p{L}\d-]{1,63}\.){1,8}\p{L}{2,24}/gu,
  url: /\b(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"'“”\uFFFC]{2,2000}/gi,
  domain: /\b(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,4}(?:com|org|net|edu|gov|mil|io|co\.uk|co|app|dev|ai|info|biz|me|tv|ly|ca|de|fr|uk|us|eu|au|nl|ch|it|es|se|xyz|online|shop|store)\b(?:\/[^\s<>"'\uFFFC]{0,500})?/giu,
  ipv4: /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g,
  ipv6: /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi,
  mac: /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\b/gi,
  path: /(?:\b[A-Z]:\\|~\/|(?<![\w/:.])\/(?:home|users|usr|var|etc|tmp|opt|mnt|documents|root)\/)[^\s<>"'?*|\uFFFC]{1,400}/gi,
  file: /(?<![\w@/.])[\w\p{L}()-][\w\p{L}.()-]{0,100}\.(?:pdf|docx?|xlsx?|csv|txt|pptx?|jpe?g|png|gif|mp3|mp4|wav|zip|rar|html?|xml|json|exe|py|md|rtf|mov|avi|bak|log|psd|svg|tar|gz|tiff?|bmp|odt|ods|sql|pem)\b/giu,
  coordinates: /(?<![\d.])(-?\d{1,3}\.\d{2,10})°?\s?([NS])?,?\s{0,3}(-?\d{1,3}\.\d{2,10})°?\s?([EW]\b)?/g,
  handle: /(?<![\w@.])@[A-Za-z_][\w.]{1,30}\b/g
} as const

const trailing = /[.,;:!?)\]]+$/

const each = (text: string, pattern: RegExp, found: (value: string, start: number, match: RegExpExecArray) => Candidate | undefined, into: Array<Candidate>): void => {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const one = found(match[0], match.index, match)
    if (one !== undefined) into.push(one)
  }
}

const brands = wordSet("node.js next.js vue.js asp.net e.g i.e")

/** Addresses of people and machines, written or said: e-mail, web, network, files, coordinates, IBANs. */
export const addressCandidates = (call: CallText, runs: ReadonlyArray<Run>, addresses: ReadonlyArray<SpokenAddress>): ReadonlyArray<Candidate> => {
  const { text, tokens } = call
  const found: Array<Candidate> = []
  if (text.includes("@")) {
    each(text, patterns.email, (value, start) => candidate("email_address", start, start + value.length, 0.99, "written address"), found)
    each(text, patterns.handle, (value, start) => candidate("username", start, start + value.length, 0.7, "handle"), found)
  }
  if (text.includes(".")) {
    each(text, patterns.url, (value, start) => {
      const end = start + value.length - (trailing.exec(value)?.[0].length ?? 0)
      return candidate("url", start, end, 0.98, "written address")
    }, found)
    each(text, patterns.domain, (value, start) =>
      text[start - 1] === "@" || brands.has(value.toLowerCase()) ? undefined : candidate("url", start, start + value.length - (trailing.exec(value)?.[0].length ?? 0), 0.8, "domain name"), found)
    each(text, patterns.ipv4, (value, start) => (isIpv4(value) ? candidate("ip_address", start, start + value.length, 0.95, "four parts up to 255") : undefined), found)
    each(text, patterns.file, (value, start) => candidate("filename", start, start + value.length, 0.9, "file ending"), found)
    each(text, patterns.coordinates, (value, start, match) =>
      isCoordinates(Number(match[1]), Number(match[3])) ? candidate("location", start, start + value.trimEnd().length, 0.85, "coordinates") : undefined, found)
  }
  if (text.includes(":") || text.includes("-")) {
    each(text, patterns.mac, (value, start) => candidate("numerical_pii", start, start + value.length, 0.95, "hardware address"), found)
    each(text, patterns.ipv6, (value, start) => (isIpv6(value) ? candidate("ip_address", start, start + value.length, 0.95, "IPv6") : undefined), found)
  }
  if (text.includes("\\") || text.includes("/")) {
    each(text, patterns.path, (value, start) => candidate("filename", start, start + value.length - (trailing.exec(value)?.[0].length ?? 0), 0.9, "file path"), found)
  }
  each(text, patterns.iban, (value, start) => {
    // The pattern may have run on into the next words: the country says how long an IBAN is.
    for (let end = value.length; end >= 15; end--) {
      const bare = value.slice(0, end).replace(/ /g, "")
      if (bare.length < 15) break
      if (value[end - 1] !== " " && hasIbanShape(bare)) {
        return isIban(bare)
          ? candidate("bank_account", start, start + end, 0.98, "check digits: IBAN")
          : /\d{6}/.test(bare) ? candidate("bank_account", start, start + end, 0.8, "IBAN shape") : undefined
      }
    }
    return undefined
  }, found)
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
      const groups = run.pieces.reduce((said, piece, at) => said + (run.joints[at] === "." ? "." : "") + piece.chars, "")
      if (isIpv4(groups)) found.push(candidate("ip_address", start, end, 0.95, "four parts up to 255", "spoken"))
    }
    if (run.chars.length >= 15 && hasIbanShape(run.chars)) {
      found.push(candidate("bank_account", start, end, isIban(run.chars) ? 0.98 : 0.8, isIban(run.chars) ? "check digits: IBAN" : "IBAN shape"))
    }
  }
  return found
}
