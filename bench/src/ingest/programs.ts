/** The two servers that are compared. */
import { startBaseline } from "./baseline.js"
import { startEarshot } from "./earshot.js"

export type Program = "earshot" | "baseline"

export interface RunningProgram {
  readonly url: string
  readonly agent: number
  /** The API key that requests must have. */
  readonly key?: string | undefined
  readonly stop: () => Promise<void>
}

export const startProgram = (program: Program, args: ReadonlyArray<string>): Promise<RunningProgram> =>
  program === "earshot" ? startEarshot(args) : startBaseline(args)
