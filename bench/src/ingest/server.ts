/**
 * A server as a process of its own: `server.js PROGRAM ARGUMENTS`. Prints one line of JSON when it is ready, and answers
 * messages of its parent with the use of its main thread.
 */
import { startProgram } from "./programs.js"
import { countRuntimeUse } from "./runtimeUse.js"

const [, , program, ...args] = process.argv

process.once("SIGTERM", () => process.exit(0))
const { agent, key, url } = await startProgram(program === "earshot" ? "earshot" : "baseline", args)
const runtimeUse = countRuntimeUse()
process.on("message", () => process.send?.(runtimeUse()))
console.log(JSON.stringify({ url, agent, key }))
