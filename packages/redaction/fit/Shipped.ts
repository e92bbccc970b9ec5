import { readFileSync, writeFileSync } from "node:fs"

/** Writes a fitted model to its file; with `--check` it tells whether the file is this model, and fails the process if not. */
export const writeOrCheck = (file: string, packed: Uint8Array): void => {
  if (!process.argv.includes("--check")) {
    writeFileSync(file, packed)
    console.log(`${(packed.length / 1024).toFixed(0)} KB`)
    return
  }
  const isSame = readFileSync(file).equals(packed)
  console.log(isSame ? "The shipped model is what this makes." : "The shipped model is another one: fit it again.")
  process.exitCode = isSame ? 0 : 1
}
