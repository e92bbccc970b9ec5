import { type Candidate, candidate } from "../TextSpan.js"
import type { Recognizer } from "./CallReader.js"

const LOCAL = /[\p{L}\p{M}\d._%+'-]/u
const HOST = /[\p{L}\d.-]/u

/** Characters looked at on either side of an "@"; a longer address is cut and not missed. */
const LOCAL_REACH = 128
const HOST_REACH = 256

const localStart = (text: string, sign: number): number => {
  let start = sign
  while (start > 0 && sign - start < LOCAL_REACH && LOCAL.test(text[start - 1] ?? "")) start--
  while (start < sign && /[.'-]/.test(text[start] ?? "")) start++
  return start
}

const hostEnd = (text: string, sign: number): number => {
  let end = sign + 1
  while (end < text.length && end - sign < HOST_REACH && HOST.test(text[end] ?? "")) end++
  while (end > sign && /[.-]/.test(text[end - 1] ?? "")) end--
  return end
}

const isHost = (host: string): boolean => {
  const labels = host.split(".")
  return labels.length > 1 && !labels.includes("") && /^\p{L}{2,24}$/u.test(labels[labels.length - 1] ?? "")
}

/** E-mail addresses as they are written. Spoken ones: SpokenAddresses.ts. */
export const emails: Recognizer = ({ call: { text } }) => {
  const found: Array<Candidate> = []
  for (let sign = text.indexOf("@"); sign >= 0; sign = text.indexOf("@", sign + 1)) {
    const start = localStart(text, sign)
    const end = hostEnd(text, sign)
    if (start < sign && isHost(text.slice(sign + 1, end)))
      found.push(candidate("email_address", start, end, 0.99, "written address"))
  }
  return found
}
