import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Ran } from "./inProcess.js"

const BINARY = fileURLToPath(new URL("../../bin/earshot.js", import.meta.url))

/** The environment of a stranger: nothing of Earshot's, no colors. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:EARSHOT_|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$)/.test(name))
  )

interface Options {
  readonly input?: string
  /** What of Earshot's the environment has. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Started {
  readonly child: ChildProcess
  /** All of stdout once it holds this. */
  readonly until: (text: string) => Promise<string>
  readonly ended: Promise<Ran>
}

/** Starts the command that people start. */
export const start = (args: ReadonlyArray<string>, options: Options = {}): Started => {
  const child = spawn(process.execPath, [BINARY, ...args], {
    env: { ...environment(), ...options.env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let out = ""
  let err = ""
  const waiting = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    for (const look of waiting) look()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  child.stdin.on("error", () => undefined).end(options.input ?? "")
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => {
      resolve({ code: code ?? -1, out, err })
    })
  })
  const until = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (out.includes(text)) resolve(out)
      }
      waiting.add(look)
      look()
      void ended.then(() => {
        reject(new Error(`It ended without "${text}": ${out}${err}`))
      })
    })
  return { child, until, ended }
}

/** Runs the command that people run. */
export const earshot = (args: ReadonlyArray<string>, options: Options = {}): Promise<Ran> => start(args, options).ended
