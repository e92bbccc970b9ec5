/** Slower disks: a small C library that is loaded before the others and delays fsync and fdatasync (native/slowFlush.c). */
import { execFile } from "node:child_process"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { fileURLToPath } from "node:url"

const SOURCE = fileURLToPath(new URL("../../native/slowFlush.c", import.meta.url))

/** Compiles the library into a folder; undefined where there is no C compiler, or no preloading as Linux has it. */
export const buildSlowFlush = async (folder: string): Promise<string | undefined> => {
  if (process.platform !== "linux") return undefined
  const library = join(folder, "slowFlush.so")
  try {
    await promisify(execFile)("cc", ["-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"])
  } catch {
    return undefined
  }
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755)
  return library
}

/** The variables of a process whose flushes take longer. */
export const slowFlush = (library: string, micros: number): Readonly<Record<string, string>> => ({
  LD_PRELOAD: library,
  EARSHOT_BENCH_FLUSH_MICROS: String(micros)
})
