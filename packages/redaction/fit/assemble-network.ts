/**
 * Assembles `src/call-tagger/network.wat` and writes `data/network.wasm`; with `--check` it tells whether that file is what it
 * would write.
 *
 *   npx tsc -b packages/redaction/fit && node packages/redaction/dist/fit/assemble-network.js [--check]
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import wabt from "wabt"
import { writeOrCheck } from "./Shipped.js"

const source = fileURLToPath(new URL("../../src/call-tagger/network.wat", import.meta.url))
const assembler = await wabt()
const parsed = assembler.parseWat("network.wat", readFileSync(source, "utf8"), { simd: true })
parsed.validate()
writeOrCheck(fileURLToPath(new URL("../../data/network.wasm", import.meta.url)), parsed.toBinary({}).buffer)
