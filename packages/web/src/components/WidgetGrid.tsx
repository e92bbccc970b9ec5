/** The widgets of a dashboard on its grid; where they may be changed, they are moved and resized by mouse, touch or keys. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react"
import type { Widget } from "../api/client.js"
import type { WidgetOutcome } from "../api/dashboards.js"
import { arranged, COLUMNS, moved, type Place, placesOf, resized } from "../rules/charts.js"
import { describe, type FilterTree, readFilter, topConditions } from "../rules/filter.js"
import { ErrorNotice, Loading } from "./Feedback.js"
import { Icon } from "./Icon.js"
import { WidgetChart } from "./WidgetChart.js"

/** Pixels, as in dashboards.css. */
const ROW = 104
const GAP = 12

const NOWHERE: Place = { x: 0, y: 0, w: 6, h: 3 }

export const titleOf = ({ field, name }: Widget): string => (name === "" ? field || "Calls" : name)

const EffectiveFilter = ({ widget }: { readonly widget: Widget }) => {
  const filter = readFilter(widget.effective_filters) ?? null
  return (
    <p className="effective muted plain" title="The calls that this widget shows">
      {filter === null ? "All calls" : topConditions(filter).map(describe).join(" · ")}
    </p>
  )
}

type Change = (place: Place, columns: number, rows: number) => Place

/** The arrow keys as columns and rows. */
const ARROWS: Readonly<Record<string, readonly [columns: number, rows: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1]
}

interface Dragged {
  readonly id: number
  readonly place: Place
}

/** A place in words, for those who do not see the grid. */
const inWords = ({ h, w, x, y }: Place): string =>
  `column ${x + 1}, row ${y + 1}, ${w} of ${COLUMNS} columns wide, ${h} ${h === 1 ? "row" : "rows"} tall`

export const WidgetGrid = ({
  widgets,
  outcomeOf,
  onRefresh,
  onOpen,
  onPlace,
  actions
}: {
  readonly widgets: ReadonlyArray<Widget>
  /** The data of a widget, or why there is none; undefined while it is read. */
  readonly outcomeOf: (id: number) => WidgetOutcome | undefined
  readonly onRefresh: () => void
  /** Opens the calls of a part of a chart. */
  readonly onOpen?: (filter: FilterTree) => void
  /** Stores the places of all widgets; without it they cannot be moved. */
  readonly onPlace?: (places: ReadonlyMap<number, Place>) => void
  /** What else can be done with a widget. */
  readonly actions?: (widget: Widget, place: (change: Change, columns: number, rows: number) => void) => ReactNode
}) => {
  const grid = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<Dragged>()
  const [announcement, setAnnouncement] = useState("")
  const stored = placesOf(widgets)
  const places = dragged === undefined ? stored : arranged(stored, dragged.id, dragged.place)

  // Keys are pressed faster than what they have changed is shown.
  const latest = useRef<ReadonlyMap<number, Place>>(undefined)
  useEffect(() => {
    latest.current = undefined
  }, [widgets])

  const put = (widget: Widget, change: Change, columns: number, rows: number) => {
    const before = latest.current ?? stored
    const place = change(before.get(widget.id) ?? NOWHERE, columns, rows)
    const after = arranged(before, widget.id, place)
    latest.current = after
    onPlace?.(after)
    setAnnouncement(`${titleOf(widget)}: ${inWords(place)}`)
  }

  const onKeys = (widget: Widget) => (event: KeyboardEvent) => {
    const step = ARROWS[event.key]
    if (step === undefined) return
    event.preventDefault()
    put(widget, event.shiftKey ? resized : moved, ...step)
  }

  /** Follows the pointer until it is released; Escape puts the widget back. */
  const onDrag = (widget: Widget, change: Change) => (event: PointerEvent<HTMLElement>) => {
    const area = grid.current
    if (area === null || event.button !== 0) return
    event.preventDefault()
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    handle.focus()
    const from = stored.get(widget.id) ?? NOWHERE
    const column = (area.clientWidth + GAP) / COLUMNS
    // The grid moves under the pointer when the page is scrolled.
    const at = (pointer: { readonly clientX: number; readonly clientY: number }) => {
      const box = area.getBoundingClientRect()
      return { x: pointer.clientX - box.left, y: pointer.clientY - box.top }
    }
    const start = at(event)
    let place = from
    const ended = new AbortController()
    const { signal } = ended
    const end = (isKept: boolean) => {
      ended.abort()
      setDragged(undefined)
      if (isKept && place !== from) {
        onPlace?.(arranged(stored, widget.id, place))
        setAnnouncement(`${titleOf(widget)}: ${inWords(place)}`)
      }
    }
    const listen = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      listener: (event: HTMLElementEventMap[Name]) => void
    ) => {
      handle.addEventListener(name, listener, { signal })
    }
    listen("pointermove", (pointer) => {
      const { x, y } = at(pointer)
      place = change(from, Math.round((x - start.x) / column), Math.round((y - start.y) / (ROW + GAP)))
      setDragged({ id: widget.id, place })
    })
    listen("pointerup", () => {
      end(true)
    })
    listen("pointercancel", () => {
      end(false)
    })
    listen("keydown", ({ key }) => {
      if (key === "Escape") end(false)
    })
  }

  return (
    <>
      <div className="grid" ref={grid}>
        {widgets.map((widget) => {
          const place = places.get(widget.id) ?? NOWHERE
          const outcome = outcomeOf(widget.id)
          const title = titleOf(widget)
          return (
            <section
              key={widget.id}
              className={`card widget${dragged?.id === widget.id ? " dragged" : ""}`}
              aria-label={title}
              style={{ gridColumn: `${place.x + 1} / span ${place.w}`, gridRow: `${place.y + 1} / span ${place.h}` }}
            >
              <header>
                {onPlace === undefined ? null : (
                  <button
                    type="button"
                    className="button quiet icon small grip"
                    aria-label={`Move ${title}`}
                    title="Drag to move. Arrow keys move the widget, with Shift they resize it."
                    onPointerDown={onDrag(widget, moved)}
                    onKeyDown={onKeys(widget)}
                  >
                    <Icon name="grip" />
                  </button>
                )}
                <div className="grow">
                  <h2 className="truncate plain">{title}</h2>
                  <EffectiveFilter widget={widget} />
                </div>
                {actions?.(widget, (change, columns, rows) => {
                  put(widget, change, columns, rows)
                })}
              </header>
              <div className="body">
                {outcome === undefined ? (
                  <Loading rows={4} />
                ) : "error" in outcome ? (
                  <ErrorNotice error={outcome.error} onRetry={onRefresh} />
                ) : (
                  <WidgetChart data={outcome.data} widget={widget} {...(onOpen === undefined ? {} : { onOpen })} />
                )}
              </div>
              {onPlace === undefined ? null : (
                <span className="resize" aria-hidden="true" tabIndex={-1} onPointerDown={onDrag(widget, resized)} />
              )}
            </section>
          )
        })}
      </div>
      <p className="sr-only" role="status">
        {announcement}
      </p>
    </>
  )
}
