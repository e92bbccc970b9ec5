/** Calls in rows, of which only those in view are in the document. */
import { useNavigate, useRouter } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { memo, type MouseEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from "react"
import { basePath, type Call } from "../api/client.js"
import { fullTime, metricValue, shortTime } from "../rules/format.js"
import type { CallSelection } from "../api/calls.js"
import { CallStatus } from "./Status.js"

export interface Column {
  readonly id: string
  readonly name: string
  /** A track of the grid. */
  readonly width: string
  readonly isNumber?: boolean
  readonly cell: (call: Call, now: Date) => ReactNode
}

const text = (value: string): ReactNode =>
  value === "" ? <span className="muted">–</span> : <span className="truncate plain">{value}</span>

export const COLUMNS: ReadonlyArray<Column> = [
  {
    id: "time",
    name: "Time (UTC)",
    width: "104px",
    cell: ({ timestamp }, now) => (
      <time dateTime={timestamp} title={fullTime(timestamp)}>
        {shortTime(timestamp, now)}
      </time>
    )
  },
  { id: "call", name: "Call", width: "minmax(150px, 1.4fr)", cell: () => null },
  { id: "agent", name: "Agent", width: "minmax(110px, 1fr)", cell: ({ agent_name }) => text(agent_name) },
  { id: "duration", name: "Duration", width: "80px", isNumber: true, cell: ({ duration }) => duration },
  { id: "status", name: "Outcome", width: "104px", cell: ({ status }) => <CallStatus status={status} /> },
  {
    id: "ended",
    name: "Ended by",
    width: "minmax(130px, 1fr)",
    cell: ({ call_ended_reason }) => text(call_ended_reason)
  },
  { id: "topic", name: "Topic", width: "minmax(110px, 1fr)", cell: ({ topic }) => text(topic) },
  {
    id: "customer",
    name: "Customer",
    width: "minmax(120px, 1fr)",
    cell: ({ customer_number }) => text(customer_number)
  },
  {
    id: "dropoff",
    name: "Drop-off point",
    width: "minmax(120px, 1fr)",
    cell: ({ dropoff_point }) => text(dropoff_point)
  },
  { id: "feedback", name: "Feedback", width: "minmax(140px, 1.4fr)", cell: ({ feedback }) => text(feedback) }
]

export const DEFAULT_COLUMNS: ReadonlyArray<string> = ["time", "call", "agent", "duration", "status", "ended", "topic"]

/** A column of a metric, named `metric:NAME`. */
export const metricColumn = (name: string): Column => ({
  id: `metric:${name}`,
  name,
  width: "minmax(92px, 0.7fr)",
  isNumber: true,
  cell: ({ metrics }) => {
    const found = metrics.find((metric) => metric.name === name)
    return found === undefined ? <span className="muted">–</span> : metricValue(found.value)
  }
})

/** Pixels, as in calls.css. */
const ROW = 40
const GAP = 14
const PADDING = 40

interface RowProps {
  readonly call: Call
  readonly index: number
  readonly columns: ReadonlyArray<Column>
  readonly now: Date
  /** The address of the call's page, which keeps the filter. */
  readonly href: string
  readonly isSelected: boolean
  readonly template: string
  readonly minWidth: number
  /** Pixels from the first row on. */
  readonly start: number
  readonly onMove: (from: number, by: number) => void
  readonly onOpen: (id: number) => void
  readonly onToggle: (id: number) => void
}

/** Whether a click opens a link in this tab. */
const isPlainClick = ({ altKey, button, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey

/** Drawn once as long as it is in view; its link is a plain one, since the router's costs more than the rest of the row. */
const Row = memo(function Row(props: RowProps) {
  const { call, columns, href, index, isSelected, minWidth, now, onMove, onOpen, onToggle, start, template } = props
  return (
    <div
      data-index={index}
      className="call-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ gridTemplateColumns: template, minWidth, transform: `translateY(${start}px)` }}
      onKeyDown={({ key }) => {
        if (key === "ArrowDown" || key === "j") onMove(index, 1)
        else if (key === "ArrowUp" || key === "k") onMove(index, -1)
        else if (key === "x") onToggle(call.id)
      }}
    >
      <div role="cell">
        <input
          type="checkbox"
          aria-label={`Select call ${call.call_id}`}
          checked={isSelected}
          onChange={() => {
            onToggle(call.id)
          }}
        />
      </div>
      {columns.map((column) => (
        <div key={column.id} role="cell" className={column.isNumber === true ? "number" : "truncate"}>
          {column.id === "call" ? (
            <a
              href={href}
              className="call-link truncate plain"
              onClick={(event) => {
                if (!isPlainClick(event)) return
                event.preventDefault()
                onOpen(call.id)
              }}
            >
              {call.call_id}
            </a>
          ) : (
            column.cell(call, now)
          )}
        </div>
      ))}
    </div>
  )
})

export const CallTable = ({
  calls,
  columns,
  search,
  selected,
  onSelect,
  hasMore,
  onMore
}: {
  readonly calls: ReadonlyArray<Call>
  readonly columns: ReadonlyArray<Column>
  readonly search: CallSelection
  readonly selected: ReadonlySet<number>
  readonly onSelect: (change: (selected: ReadonlySet<number>) => ReadonlySet<number>) => void
  readonly hasMore: boolean
  readonly onMore: () => void
}) => {
  const router = useRouter()
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const now = useMemo(() => new Date(), [])
  const rows = useVirtualizer({
    count: calls.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12
  })
  const items = rows.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= calls.length - 20) onMore()
  }, [hasMore, last, calls.length, onMore])

  const template = `20px ${columns.map(({ width }) => width).join(" ")}`
  // Every row is a grid of its own: with one width for all, their columns align.
  const minWidth = columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0) + GAP, 20 + PADDING)
  const toggle = useCallback(
    (id: number) => {
      onSelect((before) => {
        const next = new Set(before)
        if (!next.delete(id)) next.add(id)
        return next
      })
    },
    [onSelect]
  )
  const isAllSelected = calls.length > 0 && calls.every(({ id }) => selected.has(id))

  const open = useCallback(
    (id: number) => {
      void navigate({ to: "/calls/$id", params: { id: String(id) }, search })
    },
    [navigate, search]
  )
  const query = useMemo(() => router.buildLocation({ to: "/calls", search }).searchStr, [router, search])

  const count = calls.length
  /** The arrow keys, j and k move the focus from call to call. */
  const move = useCallback(
    (from: number, by: number) => {
      const to = Math.max(0, Math.min(count - 1, from + by))
      const link = () => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] a`)
      rows.scrollToIndex(to)
      // At once where the row is drawn already, so that the next key press counts from there.
      const drawn = link()
      if (drawn) drawn.focus()
      else
        requestAnimationFrame(() => {
          link()?.focus()
        })
    },
    [count, rows]
  )

  return (
    <div
      className="call-table"
      ref={scroller}
      role="table"
      aria-label="Calls"
      aria-rowcount={hasMore ? -1 : calls.length + 1}
    >
      <div className="call-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, minWidth }}>
        <div role="columnheader">
          <input
            type="checkbox"
            aria-label="Select all loaded calls"
            checked={isAllSelected}
            onChange={() => {
              onSelect(() => (isAllSelected ? new Set() : new Set(calls.map(({ id }) => id))))
            }}
          />
        </div>
        {columns.map((column) => (
          <div key={column.id} role="columnheader" className={column.isNumber === true ? "number" : "truncate"}>
            <span className="plain" title={column.name}>
              {column.name}
            </span>
          </div>
        ))}
      </div>
      <div role="rowgroup" className="call-rows" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const call = calls[index]
          if (call === undefined) {
            return (
              <div key="more" className="call-row" role="row" style={{ transform: `translateY(${start}px)` }}>
                <div role="cell" className="muted">
                  Loading…
                </div>
              </div>
            )
          }
          return (
            <Row
              key={call.id}
              call={call}
              index={index}
              columns={columns}
              now={now}
              href={`${basePath}/app/calls/${call.id}${query}`}
              isSelected={selected.has(call.id)}
              template={template}
              minWidth={minWidth}
              start={start}
              onMove={move}
              onOpen={open}
              onToggle={toggle}
            />
          )
        })}
      </div>
    </div>
  )
}
