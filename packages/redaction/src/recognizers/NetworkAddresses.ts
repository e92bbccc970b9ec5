import { type Candidate, candidate } from "../TextSpan.js"
import { isIpv4, isIpv6 } from "../Validators.js"
import { byPattern, type CallReader, type Recognizer } from "./CallReader.js"

export const patterns = {
  ipv4: /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g,
  ipv6: /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi,
  mac: /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi
} as const

/** "one ninety two dot one sixty eight dot one dot one" */
const spoken = (reader: CallReader): ReadonlyArray<Candidate> =>
  reader.runs.flatMap((run) => {
    if (!run.spoken || run.joints.filter((joint) => joint === ".").length !== 3) return []
    const groups = run.pieces.map((piece, at) => (run.joints[at] === "." ? "." : "") + piece.chars).join("")
    return isIpv4(groups)
      ? [reader.candidate("ip_address", run.from, run.to, 0.95, "four parts up to 255", "spoken")]
      : []
  })

/** IP addresses, written or spoken, and hardware addresses. */
export const networkAddresses: Recognizer = (reader) => {
  const { text } = reader.call
  return [
    ...(text.includes(".")
      ? byPattern(text, patterns.ipv4, (value, start) =>
          isIpv4(value) ? candidate("ip_address", start, start + value.length, 0.95, "four parts up to 255") : undefined
        )
      : []),
    ...(/[:-]/.test(text)
      ? [
          ...byPattern(text, patterns.mac, (value, start) =>
            candidate("numerical_pii", start, start + value.length, 0.95, "hardware address")
          ),
          ...byPattern(text, patterns.ipv6, (value, start) =>
            isIpv6(value) ? candidate("ip_address", start, start + value.length, 0.95, "IPv6") : undefined
          )
        ]
      : []),
    ...spoken(reader)
  ]
}
