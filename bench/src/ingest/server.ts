/** A server as a process of its own: `server.js PROGRAM ARGUMENTS`. Prints one line of JSON when it is ready. */
import { startProgram } from "./programs.js"

const [, , program, ...args] = process.argv

process.once("SIGTERM", () => process.exit(0))
const { agent, key, url } = await startProgram(program === "earshot" ? "earshot" : "baseline", args)
console.log(JSON.stringify({ url, agent, key }))
