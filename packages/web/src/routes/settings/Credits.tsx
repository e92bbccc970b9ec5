/** What was charged, for a filter, with its sum. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { agentsQuery } from "../../api/calls.js"
import { type LedgerEntry, type LedgerFilter, ledgerQuery, totalsQuery } from "../../api/settings.js"
import { DataTable } from "../../components/DataTable.js"
import { Stats } from "../../components/Facts.js"
import { Empty, Loaded } from "../../components/Feedback.js"
import { entities, Select, TextField } from "../../components/Form.js"
import { credits, number, shortTime, words } from "../../rules/format.js"
import { afterDay, startOfDay } from "../../rules/days.js"

const REASONS: ReadonlyArray<readonly [LedgerEntry["reason"], string]> = [
  ["redaction", "Redaction"],
  ["metric_evaluation", "Metric evaluation"]
]

interface Typed {
  readonly reason: LedgerEntry["reason"] | null
  readonly agent: number | null
  /** The id of a call; blank for all. */
  readonly call: string
  /** Days as `2026-11-22`, both included; blank for no bound. */
  readonly from: string
  readonly to: string
}

const NONE: Typed = { reason: null, agent: null, call: "", from: "", to: "" }

const filterOf = ({ agent, call, from, reason, to }: Typed): LedgerFilter => {
  const [since, until] = [startOfDay(from), afterDay(to)]
  return {
    ...(reason === null ? {} : { reason }),
    ...(agent === null ? {} : { agent }),
    ...(/^[1-9]\d{0,14}$/.test(call) ? { call: Number(call) } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until })
  }
}

export const Credits = () => {
  const [typed, setTyped] = useState(NONE)
  const set = (change: Partial<Typed>) => {
    setTyped((current) => ({ ...current, ...change }))
  }
  const filter = filterOf(typed)
  const isBackwards = typed.from !== "" && typed.to !== "" && typed.to < typed.from
  const ledger = useInfiniteQuery({ ...ledgerQuery(filter), enabled: !isBackwards })
  const totals = useQuery({ ...totalsQuery(filter), enabled: !isBackwards })
  const agents = useQuery(agentsQuery)
  const now = new Date()
  return (
    <section className="card" aria-labelledby="credits-title">
      <header>
        <h2 id="credits-title">Credits</h2>
      </header>
      <div className="body stack">
        <div className="form-grid" role="group" aria-label="Which charges">
          <Select
            name="Reason"
            value={typed.reason}
            none="All"
            options={REASONS}
            onChange={(reason) => {
              set({ reason })
            }}
          />
          <Select
            name="Agent"
            value={typed.agent}
            none="All"
            options={entities(agents.data)}
            onChange={(agent) => {
              set({ agent })
            }}
          />
          <TextField
            name="Call id"
            type="number"
            value={typed.call}
            onChange={(call) => {
              set({ call })
            }}
          />
          <TextField
            name="From (UTC)"
            type="date"
            value={typed.from}
            onChange={(from) => {
              set({ from })
            }}
          />
          <TextField
            name="To (UTC)"
            type="date"
            value={typed.to}
            error={isBackwards ? "Enter a day that is not before the first." : undefined}
            onChange={(to) => {
              set({ to })
            }}
          />
        </div>
        <Loaded of={totals} rows={1}>
          {({ amount, by_reason, entries }) => (
            <Stats
              of={[
                ["Credits", credits(amount)],
                ["Charges", number(entries)],
                ...by_reason.map((one): readonly [string, string] => [words(one.reason), credits(one.amount)])
              ]}
            />
          )}
        </Loaded>
      </div>
      <Loaded of={ledger}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No charges" />
          ) : (
            <DataTable
              label="Charges"
              rows={all}
              more={ledger}
              columns={[
                { name: "Time (UTC)", className: "nowrap", of: (entry) => shortTime(entry.created_at, now) },
                {
                  name: "Reason",
                  of: (entry) => (
                    <>
                      {words(entry.reason)}
                      {entry.seconds === null ? null : (
                        <span className="muted"> of {number(entry.seconds, 1)} seconds</span>
                      )}
                    </>
                  )
                },
                {
                  name: "Call",
                  of: ({ call }) =>
                    call === null ? (
                      "–"
                    ) : (
                      <Link to="/calls/$id" params={{ id: String(call) }} search={{}} className="link">
                        {call}
                      </Link>
                    )
                },
                { name: "Credits", className: "number", of: ({ amount }) => amount }
              ]}
            />
          )
        }
      </Loaded>
    </section>
  )
}
