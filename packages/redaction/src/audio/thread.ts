/** The program of a thread that works on audio: it answers the questions of the thread that started it, one by one. */
import * as Effect from "effect/Effect"
import { type MessagePort, parentPort } from "node:worker_threads"
import { answerAudioQuestion, type AudioPiece, type AudioQuestion } from "./AudioQuestions.js"

/** Answers what arrives on a port: the pieces of a recording, and then a question about it. */
export const listen = (port: MessagePort): void => {
  let pieces: Array<Uint8Array> = []
  port.on("message", (message: AudioPiece | AudioQuestion) => {
    if (message.kind === "piece") {
      pieces.push(message.bytes)
      return
    }
    const bytes = Buffer.concat(pieces)
    pieces = []
    void Effect.runPromise(answerAudioQuestion(bytes, message)).then((answer) => {
      const muted = answer._tag === "Right" && "bytes" in answer.right ? answer.right.bytes : undefined
      // The muted audio is handed over, not copied, where it is all of its buffer.
      port.postMessage(
        answer,
        muted !== undefined && muted.byteLength === muted.buffer.byteLength ? [muted.buffer] : []
      )
    })
  })
}

if (parentPort !== null) listen(parentPort)
