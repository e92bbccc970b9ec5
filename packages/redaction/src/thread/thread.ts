/** The program of a thread that redacts long transcripts and documents: it answers questions one by one. */
import { type MessagePort, parentPort } from "node:worker_threads"
import { answerRedactionQuestion, type RedactionQuestion } from "./RedactionQuestions.js"

/** Answers what arrives on a port. A question that fails ends the thread: its error may quote what was to be redacted. */
export const listen = (port: MessagePort): void => {
  port.on("message", (question: RedactionQuestion) => {
    try {
      port.postMessage(answerRedactionQuestion(question))
    } catch {
      port.close()
    }
  })
}

if (parentPort !== null) listen(parentPort)
