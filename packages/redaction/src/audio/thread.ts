/** The program of a thread that works on audio: it answers the questions of the thread that started it, one by one. */
import * as Effect from "effect/Effect"
import { parentPort } from "node:worker_threads"
import { answerAudioQuestion, type AudioPiece, type AudioQuestion } from "./AudioQuestions.js"

let pieces: Array<Uint8Array> = []

parentPort?.on("message", (message: AudioPiece | AudioQuestion) => {
  if (message.kind === "piece") {
    pieces.push(message.bytes)
    return
  }
  const bytes = Buffer.concat(pieces)
  pieces = []
  void Effect.runPromise(answerAudioQuestion(bytes, message)).then((answer) => {
    const muted = answer._tag === "Right" && "bytes" in answer.right ? answer.right.bytes : undefined
    // The muted audio is handed over, not copied, where it is all of its buffer.
    parentPort?.postMessage(answer, muted?.byteLength === muted?.buffer.byteLength && muted ? [muted.buffer] : [])
  })
})
