import { inflateRawSync } from "node:zlib"
import { ByteReader, ByteWriter } from "./Bytes.js"
import { type ChainModel, chainShape, type FittedChain, readChain, writeChain } from "./ChainModel.js"
import { BUCKETS } from "./Features.js"
import type { WordSet, WordSets } from "./WordSets.js"

/**
 * What a token may be. Labels that end in `+` are everyday readings (weekdays, lengths of time, meetings, "home"),
 * which count only where they are asked for.
 */
export const taggerLabels = [
  "none",
  "person_name",
  "location",
  "date",
  "time",
  "occupation",
  "event",
  "date+",
  "time+",
  "event+",
  "location+"
] as const
export const LABELS = taggerLabels.length

export const taggerShape = chainShape(LABELS, BUCKETS)

export interface Model extends ChainModel {
  readonly sets: WordSets
}

const setNames = ["firstNames", "lastNames", "otherNames", "places", "common1", "common2", "common3"] as const

/** Packs a model: its word sets, then its field; deflated. */
export const packModel = (
  model: FittedChain & { readonly sets: WordSets },
  deflate: (bytes: Uint8Array) => Uint8Array
): Uint8Array => {
  const out = new ByteWriter()
  for (const name of setNames) {
    const set = model.sets[name]
    out.varint(set.size)
    out.bytes(set.bits)
  }
  writeChain(out, taggerShape, model)
  return deflate(out.done())
}

export const unpackModel = (packed: Uint8Array): Model => {
  const bytes = new ByteReader(inflateRawSync(packed))
  const readSet = (): WordSet => {
    const size = bytes.varint()
    return { bits: bytes.bytes(size / 8), size }
  }
  const sets: WordSets = {
    firstNames: readSet(),
    lastNames: readSet(),
    otherNames: readSet(),
    places: readSet(),
    common1: readSet(),
    common2: readSet(),
    common3: readSet()
  }
  return { ...readChain(bytes, taggerShape), sets }
}
