/** Lines and bars over time, drawn by uPlot. A click opens the calls of the period. */
import { useEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { number } from "../rules/format.js"
import { aligned, pickedSeries, stacked } from "../rules/charts.js"
import { colorOf } from "./theme.js"

export interface Series {
  readonly label: string
  readonly points: ReadonlyArray<{ readonly timestamp: string; readonly value: number | null }>
}

/** Colors of series, which differ in lightness too. */
export const SERIES_COLORS = ["accent", "caller", "info", "warn", "bad", "good", "muted"] as const

/** Half the width of a time's label in pixels: a label at the last point reaches that far beyond the plot. */
const LABEL_HALF = 28

/** The width of an axis in pixels that has these labels, of which a character takes at most 7; at first none are known. */
const widthOf = (labels: ReadonlyArray<string | null> | null): number =>
  Math.max(48, 16 + 7 * Math.max(0, ...(labels ?? []).map((label) => label?.length ?? 0)))

const utc = (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC")

export const TimeChart = ({
  series,
  isBars,
  isSum,
  unit,
  onPick
}: {
  readonly series: ReadonlyArray<Series>
  readonly isBars: boolean
  /** Whether values of several series add up, so that their bars are put on top of each other. */
  readonly isSum: boolean
  readonly unit: string
  /** The period, and the series that was clicked; undefined for all of them. */
  readonly onPick: (timestamp: string, series: number | undefined) => void
}) => {
  const host = useRef<HTMLDivElement>(null)
  const pick = useRef(onPick)
  useEffect(() => {
    pick.current = onPick
  }, [onPick])
  useEffect(() => {
    const parent = host.current
    if (parent === null) return
    const { times, values } = aligned(series)
    const isStacked = isBars && isSum && values.every((one) => one.every((value) => value === null || value >= 0))
    const drawn = isStacked ? stacked(values) : values
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      const text = colorOf("muted")
      const line = colorOf("line")
      /** Bars that do not add up stand in front of each other, narrower each, so that none hides another. */
      const barsOf = (index: number) =>
        uPlot.paths.bars?.({ size: isStacked ? [0.7, 40] : [0.8 - (0.6 * index) / values.length, 48], radius: 0.15 })
      const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "11px sans-serif" }
      plot = new uPlot(
        {
          width: parent.clientWidth,
          height: parent.clientHeight,
          tzDate: utc,
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, points: { size: 7 }, y: false },
          padding: [10, LABEL_HALF, 0, 0],
          scales: {
            x: { time: true, range: isBars && times.length > 0 ? padded(times) : undefined },
            y: { range: (_plot, low, high) => [Math.min(0, low), high <= 0 ? 1 : high * 1.1] }
          },
          axes: [
            { ...axis, grid: { show: false }, space: 64 },
            {
              ...axis,
              size: (_plot, labels) => widthOf(labels),
              values: (_plot, splits) => splits.map((value) => `${number(value)}${unit}`)
            }
          ],
          series: [
            {},
            ...series.map(({ label }, index) => {
              const bars = isBars ? barsOf(index) : undefined
              const color = colorOf(SERIES_COLORS[index % SERIES_COLORS.length] ?? "accent")
              return {
                label,
                stroke: color,
                width: isBars ? 0 : 2,
                ...(isBars ? { fill: color } : {}),
                points: { show: !isBars && times.length < 40, size: 5 },
                ...(bars === undefined ? {} : { paths: bars })
              }
            })
          ],
          hooks: {
            setCursor: [
              (shown) => {
                const index = shown.cursor.idx
                const time = index === null || index === undefined ? undefined : times[index]
                const tip = parent.parentElement?.querySelector<HTMLElement>(".chart-tip")
                if (tip === null || tip === undefined) return
                tip.textContent =
                  time === undefined || index === null || index === undefined
                    ? ""
                    : `${new Date(time * 1000).toISOString().slice(0, 16).replace("T", " ")}  ${series
                        .map(({ label }, at) => {
                          const value = values[at]?.[index]
                          return value === null || value === undefined
                            ? ""
                            : `${series.length > 1 ? `${label} ` : ""}${number(value)}${unit}`
                        })
                        .filter((one) => one !== "")
                        .slice(0, 6)
                        .join("  ")}`
              }
            ]
          }
        },
        [[...times], ...drawn.map((one) => [...one])],
        parent
      )
      plot.over.addEventListener("click", () => {
        const index = plot?.cursor.idx
        if (plot === undefined || index === null || index === undefined) return
        const time = times[index]
        const at = drawn.map((one) => one[index])
        // Beside bars of several series, it is the calls of all of them; with one, the whole column is the bar.
        const picked = at.length === 1 ? 0 : pickedSeries(at, plot.posToVal(plot.cursor.top ?? 0, "y"), isBars)
        if (time !== undefined) pick.current(new Date(time * 1000).toISOString(), picked)
      })
    }
    draw()
    const size = new ResizeObserver(() => {
      plot?.setSize({ width: parent.clientWidth, height: parent.clientHeight })
    })
    size.observe(parent)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] })
    return () => {
      size.disconnect()
      theme.disconnect()
      plot?.destroy()
    }
  }, [series, isBars, isSum, unit])
  return <div className="time-chart" ref={host} aria-hidden="true" />
}

/** Room for half a bar on both sides. */
const padded = (times: ReadonlyArray<number>): [number, number] => {
  const [first = 0, second] = times
  const last = times.at(-1) ?? first
  const half = ((second ?? first + 86_400) - first) / 2
  return [first - half, last + half]
}
