import * as RedactionKit from "@earshot/test-kit/redaction"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** How the names of sets begin that are measured on and not fitted with. */
const MEASURED = /^(?:eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth)/

/** The calls in a folder of this package, in the order of the names of its files. */
export const writtenCalls = (folder: string): ReadonlyArray<RedactionKit.LabeledCall> => {
  const path = fileURLToPath(new URL(`../../${folder}/`, import.meta.url))
  return readdirSync(path)
    .filter((name) => name.endsWith(".txt") && !MEASURED.test(name))
    .sort()
    .flatMap((name) => RedactionKit.dialoguesOf(readFileSync(`${path}${name}`, "utf8")))
}
