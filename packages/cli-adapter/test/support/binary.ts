import { type ChildProcess, spawn } from "node:child_process"
import { bundledCommand } from "./bundle.js"
import type { Ran } from "./inProcess.js"

/** The environment without Earshot's variables and without colors. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:EARSHOT_|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$)/.test(name))
  )

interface Options {
  readonly input?: string
  /** Variables to set. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Started {
  readonly child: ChildProcess
  /** Resolves with stdout once it contains the text. */
  readonly until: (text: string) => Promise<string>
  readonly ended: Promise<Ran>
}

/** Starts the bundled command. */
export const start = (args: ReadonlyArray<string>, options: Options = {}): Started => {
  const child = spawn(process.execPath, [bundledCommand(), ...args], {
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
        reject(new Error(`The command ended without printing "${text}": ${out}${err}`))
      })
    })
  return { child, until, ended }
}

/** Runs the bundled command until it ends. */
export const earshot = (args: ReadonlyArray<string>, options: Options = {}): Promise<Ran> => start(args, options).ended
