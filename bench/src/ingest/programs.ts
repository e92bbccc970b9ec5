/** The two servers that are compared. */
import { startBaseline } from "./baseline.js"
import { startEarshot } from "./earshot.js"
import type { RunningProgram } from "./runningProgram.js"

export type Program = "earshot" | "baseline"

export const startProgram = (program: Program, args: ReadonlyArray<string>): Promise<RunningProgram> =>
  program === "earshot" ? startEarshot(args) : startBaseline(args)
