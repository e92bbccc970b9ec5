import { inflateRawSync } from "node:zlib"
import { sensitiveFields } from "../SensitiveField.js"
import { ByteReader, ByteWriter } from "../tagger/Bytes.js"
import { type ChainModel, chainShape, type FittedChain, readChain, writeChain } from "../tagger/ChainModel.js"
import { ROWS } from "./CallFeatures.js"

/** What a token of a call may be. */
export const callLabels = ["none", ...sensitiveFields] as const
export const CALL_LABELS = callLabels.length

export const callShape = chainShape(CALL_LABELS, ROWS)

export const packCallModel = (model: FittedChain, deflate: (bytes: Uint8Array) => Uint8Array): Uint8Array => {
  const out = new ByteWriter()
  writeChain(out, callShape, model)
  return deflate(out.done())
}

export const unpackCallModel = (packed: Uint8Array): ChainModel =>
  readChain(new ByteReader(inflateRawSync(packed)), callShape)
