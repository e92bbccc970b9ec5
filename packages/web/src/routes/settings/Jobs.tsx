import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { client, dataOf } from "../../api/client.js"
import { type JobState, jobsQuery } from "../../api/settings.js"
import { DataTable } from "../../components/DataTable.js"
import { Empty, ErrorNotice, Loaded } from "../../components/Feedback.js"
import { useMay } from "../../components/permission.js"
import { State } from "../../components/Status.js"
import { shortTime, words } from "../../rules/format.js"

const STATES: ReadonlyArray<JobState> = ["dead", "queued", "running", "succeeded"]

export const Jobs = () => {
  const queries = useQueryClient()
  const mayManage = useMay("jobs:manage")
  const [state, setState] = useState<JobState>("dead")
  const jobs = useInfiniteQuery(jobsQuery(state))
  const retry = useMutation({
    mutationFn: (id: number) => dataOf(client.POST("/jobs/{id}/retry/", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["jobs"] })
  })
  const now = new Date()
  return (
    <section className="card" aria-labelledby="jobs-title">
      <header>
        <h2 id="jobs-title">Jobs</h2>
        <select
          className="input speed"
          aria-label="State"
          value={state}
          onChange={(event) => {
            setState(STATES.find((one) => one === event.target.value) ?? "dead")
          }}
        >
          {STATES.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
      </header>
      {retry.error === null ? null : <ErrorNotice error={retry.error} />}
      <Loaded of={jobs}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={`No ${state} jobs`}>
              {state === "dead" ? <p>A job is dead when it has used all its attempts.</p> : null}
            </Empty>
          ) : (
            <DataTable
              label="Jobs"
              rows={all}
              more={jobs}
              columns={[
                { name: "Job", className: "strong", of: ({ kind }) => words(kind) },
                { name: "State", of: (job) => <State state={job.state} /> },
                { name: "Attempts", className: "number", of: (job) => `${job.attempts} of ${job.max_attempts}` },
                { name: "Changed (UTC)", className: "nowrap", of: (job) => shortTime(job.updated_at, now) },
                { name: "Last error", className: "wide plain muted", of: (job) => job.last_error }
              ]}
              actions={(job) =>
                mayManage && job.state === "dead" ? (
                  <button
                    type="button"
                    className="button small"
                    disabled={retry.isPending}
                    aria-label={`Retry job ${job.id}`}
                    onClick={() => {
                      retry.mutate(job.id)
                    }}
                  >
                    Retry
                  </button>
                ) : null
              }
            />
          )
        }
      </Loaded>
    </section>
  )
}
