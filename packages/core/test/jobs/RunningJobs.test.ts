import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import type { Claim } from "../../src/jobs/Job.js"
import { RunningJobs } from "../../src/jobs/RunningJobs.js"
import { JobId, OrganizationId } from "../../src/kernel/Ids.js"

const claimOf = (more: Partial<Claim> = {}): Claim => ({
  id: JobId.make(1),
  organizationId: OrganizationId.make(1),
  kind: "batch",
  key: null,
  payload: null,
  attempt: 1,
  maxAttempts: 8,
  owner: "this process",
  ...more
})

const running = (claim: Claim): RunningJobs => {
  const jobs = new RunningJobs()
  jobs.add([claim], fiber(), true, 0)
  return jobs
}

const fiber = () => {
  const started = Effect.runFork(Effect.never)
  Effect.runFork(Fiber.interrupt(started))
  return started
}

describe("the running jobs of a process", () => {
  it("keep a job that was handed over to another kind when its first claim ends", () => {
    const [before, after] = [claimOf(), claimOf({ kind: "single" })]
    const jobs = running(before)
    expect(jobs.earlier([after])).toEqual([])
    jobs.add([after], fiber(), true, 0)
    jobs.remove([before])
    expect(jobs.claims()).toEqual([after])
    jobs.remove([after])
    expect(jobs.size).toBe(0)
  })

  it("know a later attempt of the same job from an earlier one", () => {
    const [before, after] = [claimOf(), claimOf({ attempt: 2 })]
    const jobs = running(before)
    expect(jobs.earlier([after])).toEqual([before])
    expect(jobs.has(after)).toBe(false)
    expect(jobs.earlier([before])).toEqual([])
  })
})
