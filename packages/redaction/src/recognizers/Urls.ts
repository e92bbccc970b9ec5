import { wordSet } from "../Lexicon.js"
import { type Candidate, candidate } from "../TextSpan.js"
import { byPattern, type Recognizer } from "./CallReader.js"

// Every quantifier over a class that its neighbor shares is bounded, so that matching stays linear.
export const patterns = {
  url: /\b(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"'“”\uFFFC]{2,2000}/gi,
  path: /(?:\b[A-Z]:\\|~\/|(?<![\w/:.])\/(?:home|users|usr|var|etc|tmp|opt|mnt|documents|root)\/)[^\s<>"'?*|\uFFFC]{1,400}/gi,
  /** What a domain or a file name may be made of; which of them it is, the piece as a whole decides. */
  dotted: /[\p{L}\d_][\p{L}\d_.()-]*/gu,
  webPath: /\/[^\s<>"'\uFFFC]{0,500}/y
} as const

/** Marks behind an address that belong to the sentence. */
const trailing = /[.,;:!?)\]]+$/

const webEndings = wordSet(
  `com org net edu gov mil io co uk app dev ai info biz me tv ly ca de fr us eu au nl ch it es se xyz online shop store hu cz pl ie nz za br mx jp cn kr ru no dk fi be at pt gr il tr sg hk ar cl gg so cc`
)
/** Endings of domains that are no English words: "Thanks.me", "it.so" are two sentences without a space between. */
const sureEndings = /^(com|org|net|edu|gov|io|co|uk|app|dev|ai|info|biz|online|shop|store|de|fr|ca|eu|au|nl|hu|cz)$/
const fileEndings = wordSet(
  `pdf doc docx xls xlsx csv txt ppt pptx jpg jpeg png gif mp3 mp4 wav zip rar htm html xml json exe py js md rtf mov avi bak log psd svg tar gz tif tiff bmp odt ods sql pem key pages numbers heic webp m4a epub ini cfg yml yaml`
)
const notAddresses = wordSet("node.js next.js vue.js asp.net e.g i.e")
const LABEL = /^[\p{L}\d-]+$/u

const isDomain = (labels: ReadonlyArray<string>, ending: string): boolean => {
  const first = labels[0] ?? ""
  return (
    webEndings.has(ending) &&
    labels.every((label) => LABEL.test(label)) &&
    /\p{L}/u.test(first) &&
    !(labels.length === 2 && first.length < 2)
  )
}

/** Score of a domain with a path: above names of people that may be in it. */
const WITH_PATH = 0.92

/** A bare domain with its path: "example.com/path". */
const domain = (text: string, start: number, end: number, labels: number, ending: string): Candidate => {
  patterns.webPath.lastIndex = end
  const path = (patterns.webPath.exec(text)?.[0] ?? "").replace(trailing, "")
  const isSure = sureEndings.test(ending) || path.length > 1 || labels > 2
  const score = path.length > 1 ? WITH_PATH : isSure ? 0.8 : 0.4
  return candidate("url", start, end + path.length, score, "domain name")
}

/** A file name or a bare domain, by what comes after its last dot. */
const dotted = (text: string, piece: string, start: number): Candidate | undefined => {
  const name = piece.replace(/[.()-]+$/, "")
  const dot = name.lastIndexOf(".")
  if (dot <= 0) return undefined
  const ending = name.slice(dot + 1).toLowerCase()
  const end = start + name.length
  if (text[start - 1] === "@" || notAddresses.has(name.toLowerCase())) return undefined
  const labels = name.split(".")
  if (isDomain(labels, ending) && text[end] !== "@") return domain(text, start, end, labels.length, ending)
  return fileEndings.has(ending) && text[start - 1] !== "/"
    ? candidate("filename", start, end, 0.9, "file ending")
    : undefined
}

/** What `dotted` finds. Only pieces with a dot are looked at: most words have none. */
const dottedIn = (text: string): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (let dot = text.indexOf("."); dot >= 0;) {
    // No match goes over a space.
    let from = dot
    while (from > 0 && text.charCodeAt(from - 1) > SPACE) from--
    let to = dot
    while (to < text.length && text.charCodeAt(to) > SPACE) to++
    for (const { 0: value, index } of text.slice(from, to).matchAll(patterns.dotted)) {
      const one = value.includes(".") ? dotted(text, value, from + index) : undefined
      if (one !== undefined) found.push(one)
    }
    dot = text.indexOf(".", to)
  }
  return found
}

const SPACE = 32

const trimmed = (field: "url" | "filename", score: number, why: string) => (value: string, start: number) =>
  candidate(field, start, start + value.replace(trailing, "").length, score, why)

/** Web addresses, bare domains, file names and file paths as they are written. Spoken ones: SpokenAddresses.ts. */
export const urlsAndFiles: Recognizer = ({ call: { text } }) => [
  ...(text.includes(".")
    ? [...byPattern(text, patterns.url, trimmed("url", 0.98, "written address")), ...dottedIn(text)]
    : []),
  ...(/[\\/]/.test(text) ? byPattern(text, patterns.path, trimmed("filename", 0.9, "file path")) : [])
]
