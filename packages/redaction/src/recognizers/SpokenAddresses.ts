import type { Recognizer } from "./CallReader.js"

const fieldOf = { email: "email_address", url: "url", file: "filename" } as const

/** "jane dot doe at gmail dot com", "w w w dot example dot org" (read by SpokenForms.ts). */
export const spokenAddresses: Recognizer = (reader) =>
  reader.addresses.map(({ from, kind, to }) => reader.candidate(fieldOf[kind], from, to, 0.95, "spoken address"))
