import { directions } from "./AddressParts.js"
import { atWords, type TokenRule } from "./CallReader.js"

/** "latitude is minus thirty three point eight degrees south" */
const labeled = atWords("latitude longitude lat long lng", (reader, at, found) => {
  let next = at + 1
  while (/^(is|of|:|,|minus|negative|-|about|=|degrees)$/.test(reader.word(next))) next++
  const run = reader.runFrom(next)
  if (run === undefined || run.digits < 2) return undefined
  let to = run.to
  if (/^(degrees|°)$/.test(reader.word(to))) to++
  if (directions.has(reader.word(to))) to++
  const from = /^(minus|negative|-)$/.test(reader.word(next - 1)) ? next - 1 : next
  found.push(reader.candidate("location", from, to, 0.85, `after "${reader.word(at)}"`))
  return undefined
})

/** "forty degrees north" */
const inDegrees = atWords("degrees °", (reader, at, found) => {
  if (!directions.has(reader.word(at + 1))) return undefined
  const run = reader.runTo(at)
  if (run !== undefined) found.push(reader.candidate("location", run.from, at + 2, 0.82, "degrees and direction"))
  return undefined
})

export const coordinateRules: ReadonlyArray<TokenRule> = [labeled, inDegrees]
