/**
 * Disks without space: a small file system in memory holds the database, or the recordings, and a file fills it. Mounting one
 * needs root; without it the scenario is skipped.
 */
import { execFileSync } from "node:child_process"
import { chmod, mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Scenario, type ScenarioContext, statuses, withServer } from "./Scenario.js"
import type { Tenant } from "./ServerProcess.js"

interface SmallDisk {
  readonly path: string
  /** Writes a file that takes what is left. */
  readonly fill: () => Promise<void>
  readonly free: () => Promise<void>
  readonly remove: () => Promise<void>
}

const mount = async (megabytes: number): Promise<SmallDisk | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const path = await mkdtemp(join(tmpdir(), "earshot-chaos-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "tmpfs", path], { stdio: "ignore" })
  } catch {
    await rm(path, { recursive: true })
    return undefined
  }
  const ballast = join(path, "ballast")
  return {
    path,
    fill: async () => {
      const file = await open(ballast, "w")
      const chunk = Buffer.alloc(4096)
      try {
        while (true) await file.write(chunk)
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(ballast, { force: true }),
    remove: async () => {
      execFileSync("umount", ["-l", path])
      await rm(path, { recursive: true })
    }
  }
}

const withDisk = async (
  { figures }: ScenarioContext,
  megabytes: number,
  use: (disk: SmallDisk) => Promise<void>
): Promise<void> => {
  const disk = await mount(megabytes)
  if (disk === undefined) {
    figures.note("skipped: a small file system cannot be mounted here (that needs root on Linux)")
    return
  }
  try {
    await use(disk)
  } finally {
    await disk.remove()
  }
}

const readiness = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/ready`)
  return `${answer.status} ${(await answer.text()).includes("no space left") ? "(no space left)" : ""}`.trim()
}

export const fullDatabaseScenario: Scenario = {
  name: "disk-full",
  about: "the disk of the database without space for 10 s",
  run: (context) =>
    withDisk(context, 400, async (disk) => {
      // PostgreSQL runs as a user of its own and wants a folder that is empty.
      const tablespace = join(disk.path, "tables")
      if (context.database === "postgres") {
        execFileSync("install", ["-d", "-o", "postgres", "-m", "700", tablespace])
        await chmod(disk.path, 0o777)
      }
      const place = context.database === "sqlite" ? { filename: join(disk.path, "earshot.db") } : { tablespace }
      await withServer(context, { place }, async ({ disturb, server }) => {
        const ready = await disturb("full for 10 s", "honest", async () => {
          await disk.fill()
          await sleep(9000)
          const answer = await readiness(server.url)
          await disk.free()
          return answer
        })
        context.figures.note(`/ready while it was full: ${ready}`)
        context.figures.atMost("/ready is 200 while the disk is full", Number(ready.startsWith("200")), 0)
        await sleep(1000)
        await disturb("afterwards", "unaffected", () => sleep(context.options.seconds * 1000))
      })
    })
}

/** A second of silence. */
const wav = (): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(44 + 16_000)
  bytes.write("RIFF", 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write("WAVEfmt ", 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8000, 24)
  bytes.writeUInt32LE(16_000, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write("data", 36)
  bytes.writeUInt32LE(16_000, 40)
  return bytes
}

/** Ingests a call with a recording; returns the status, 0 without an answer. */
export const ingestRecording = async (url: string, { agent, key }: Tenant, id: string): Promise<number> => {
  const form = new FormData()
  form.append("call_id", id)
  form.append("agent", String(agent))
  form.append("transcript_json", JSON.stringify([{ role: "Main Agent", content: "Hello" }]))
  form.append("voice_recording", new Blob([wav()]), "call.wav")
  const headers = { "x-service-api-key": key }
  try {
    const answer = await fetch(`${url}/observability/v1/observe/`, { method: "POST", headers, body: form })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}

export const fullRecordingsScenario: Scenario = {
  name: "recordings-full",
  about: "the disk of the recordings without space",
  run: (context) =>
    withDisk(context, 16, (disk) =>
      withServer(
        context,
        { args: ["--recordings", join(disk.path, "recordings")] },
        async ({ disturb, others, server }) => {
          const sendSome = async (prefix: string) => {
            const answers: Array<{ readonly status: number }> = []
            for (let n = 0; n < 40; n++)
              answers.push({ status: await ingestRecording(server.url, others, `${prefix}-${n}`) })
            return answers
          }
          const full = await disturb("full", "unaffected", async () => {
            await disk.fill()
            const answers = await sendSome("full")
            await sleep(1000)
            return answers
          })
          context.figures.note(`calls with recordings while it was full: ${statuses(full)}`)
          context.figures.atMost("answers other than 507", full.filter(({ status }) => status !== 507).length, 0)
          await disk.free()
          const free = await disturb("afterwards", "unaffected", () => sendSome("free"))
          context.figures.atMost(
            "answers other than 201 afterwards",
            free.filter(({ status }) => status !== 201).length,
            0
          )
        }
      )
    )
}
