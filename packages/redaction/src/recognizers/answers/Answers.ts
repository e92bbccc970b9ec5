import type { Recognizer } from "../CallReader.js"
import { readBacks } from "./Corrections.js"
import { inExchange } from "./InExchange.js"

/** Values that only the question explains which they answer. */
export const answers: Recognizer = (reader) => [
  ...reader.dialogue.exchanges.flatMap((one) => inExchange(reader, one)),
  ...readBacks(reader)
]
