import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OrganizationId, RepositoryName } from "@earshot/core"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scheduler } from "effect/Scheduler"
import * as Stream from "effect/Stream"
import { makeLocalCodeHost } from "../../src/providers/LocalCodeHost.js"

/** Fibers continue as late as in a process that is busy: long after a child has ended. */
const late: Scheduler = {
  shouldYield: () => false,
  scheduleTask: (task) => void setTimeout(task, 100)
}

it.live(
  "serves all output of a git process that has ended before its request continues",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-local-"))),
          (folder) => Effect.promise(() => rm(folder, { recursive: true }))
        )
        const git = join(directory, "git")
        yield* Effect.promise(async () => {
          await mkdir(join(directory, "7", "web.git"), { recursive: true })
          await writeFile(git, "#!/bin/sh\nprintf 'first line\\n'\nprintf 'last line\\n'\n", { mode: 0o755 })
        })
        const { serving } = makeLocalCodeHost({ directory, git, publicUrl: "http://127.0.0.1" })
        const repository = { organizationId: OrganizationId.make(7), name: RepositoryName.make("web") }
        const served = Stream.runFold(serving.uploadPack(repository, undefined, new Uint8Array()), "", (text, bytes) =>
          text.concat(Buffer.from(bytes).toString())
        )
        expect(yield* Effect.withScheduler(served, late)).toBe("first line\nlast line\n")
      })
    ),
  30_000
)
