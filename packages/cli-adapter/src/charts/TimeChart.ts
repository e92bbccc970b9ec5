/** Bar and line charts over time. */
import { truncate, sanitize, padStart, displayWidth } from "../Text.js"
import type { Wire } from "../Wire.js"
import { printInstant, printNumber } from "./Numbers.js"
import { painted, type Style } from "./Style.js"

/** The values that the vertical axis spans. */
export interface Scale {
  readonly low: number
  readonly high: number
}

const STEPS = [1, 2, 2.5, 5, 10] as const

/** The next round number away from zero: 0.23 becomes 0.25, 87 becomes 100. */
const rounded = (value: number): number => {
  if (value === 0) return 0
  const power = 10 ** Math.floor(Math.log10(Math.abs(value)))
  const step = STEPS.find((one) => one * power >= Math.abs(value) * (1 - 1e-12)) ?? 10
  return Math.sign(value) * step * power
}

/** A scale from zero for all values, since bars and lines that begin elsewhere exaggerate. */
export const scaleOf = (values: ReadonlyArray<number>): Scale => {
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  return { low: rounded(low), high: low === 0 && high === 0 ? 1 : rounded(high) }
}

const UPWARDS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const

/** What a bar of so many eighths above (or below) zero shows in the row that begins so many eighths above it. */
const barCell = (level: number, bottom: number): string => {
  if (level >= 0) return UPWARDS[Math.max(0, Math.min(8, level - bottom))] ?? " "
  // Blocks that hang from above come in halves and wholes only.
  const hanging = Math.min(8, bottom + 8 <= 0 ? bottom + 8 - level : 0)
  return hanging >= 6 ? "█" : hanging > 0 ? "▀" : " "
}

/**
 * Bars, the drawing's rows from the top. A bar reaches from zero to its value. Null is a gap; zero and what is too small
 * to see is drawn as the thinnest bar there is, so that it is not taken for a gap.
 */
export const barRows = (
  values: ReadonlyArray<number | null>,
  { rows, scale, width }: { readonly scale: Scale; readonly rows: number; readonly width: number }
): ReadonlyArray<string> => {
  const unit = (scale.high - scale.low) / (rows * 8)
  const below = Math.round(-scale.low / unit / 8)
  const levels = values.map((value) => {
    if (value === null) return null
    const level = Math.round(value / unit)
    return level !== 0 ? level : value < 0 ? -1 : 1
  })
  const gap = width > 1 ? " " : ""
  return Array.from({ length: rows }, (_, at) => (rows - 1 - at - below) * 8).map((bottom) =>
    levels.map((level) => (level === null ? " " : barCell(level, bottom)).repeat(width - gap.length) + gap).join("")
  )
}

const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08]
] as const

/**
 * Lines in dots, two across and four up in a character. Neighboring values are joined, null breaks the line, and a
 * value between two nulls is a dot.
 */
export const lineRows = (
  values: ReadonlyArray<number | null>,
  { columns, rows, scale }: { readonly scale: Scale; readonly rows: number; readonly columns: number }
): ReadonlyArray<string> => {
  const across = columns * 2 - 1
  const up = rows * 4 - 1
  const cells = Array.from({ length: rows }, () => new Uint8Array(columns))
  const dot = (x: number, y: number): void => {
    const row = cells[rows - 1 - Math.floor(y / 4)]
    const column = Math.floor(x / 2)
    const bit = DOTS[x % 2 === 0 ? 0 : 1][y % 4]
    if (row !== undefined && bit !== undefined) row[column] = (row[column] ?? 0) | bit
  }
  const at = (position: number) => (values.length < 2 ? 0 : Math.round((position * across) / (values.length - 1)))
  const height = (value: number) => Math.round(((value - scale.low) / (scale.high - scale.low)) * up)
  values.forEach((value, position) => {
    if (value === null) return
    const [x, y] = [at(position), height(value)]
    const next = values[position + 1]
    if (next === undefined || next === null) {
      dot(x, y)
      return
    }
    const [toX, toY] = [at(position + 1), height(next)]
    const steps = Math.max(1, Math.abs(toX - x), Math.abs(toY - y))
    for (let step = 0; step <= steps; step++) {
      dot(Math.round(x + ((toX - x) * step) / steps), Math.round(y + ((toY - y) * step) / steps))
    }
  })
  return cells.map((row) => Array.from(row, (bits) => (bits === 0 ? " " : String.fromCharCode(0x2800 + bits))).join(""))
}

/** The first, the middle and the last instant below a drawing of so many columns, as far as they fit. */
const timeAxis = (instants: ReadonlyArray<Date>, columns: number): string => {
  const [first, second] = instants
  const last = instants.at(-1)
  if (first === undefined || last === undefined) return ""
  const width = second === undefined ? 86_400_000 : second.getTime() - first.getTime()
  const label = (at: Date) => printInstant(at, width)
  const size = label(first).length
  if (instants.length === 1 || columns < size * 2 + 1) return label(first)
  const middle = instants[Math.floor((instants.length - 1) / 2)]
  if (middle === undefined || instants.length < 5 || columns < size * 3 + 4) {
    return label(first) + " ".repeat(columns - size * 2) + label(last)
  }
  const start = Math.floor((columns - size) / 2)
  return label(first) + " ".repeat(start - size) + label(middle) + " ".repeat(columns - start - size * 2) + label(last)
}

/** The most series that are drawn one below the other. */
const MAX_SERIES = 6

/** A chart over time; several series share the scale and stand below each other. */
export const drawTime = (data: Wire<"BarData"> | Wire<"LineData">, style: Style): ReadonlyArray<string> => {
  const shown = data.series.slice(0, MAX_SERIES)
  const values = shown.flatMap((series) => series.points.flatMap(({ value }) => (value === null ? [] : [value])))
  if (values.length === 0) return [painted(style, "dim", "no data")]
  const scale = scaleOf(values)
  const axis = Math.max(...[scale.low, scale.high].map((value) => displayWidth(printNumber(value))))
  const columns = Math.max(4, style.columns - axis - 2)
  const rows = shown.length > 1 ? 4 : 8
  const more = data.series.length - shown.length
  return [
    ...shown.flatMap((series, at) => [
      ...(series.kind === "all" ? [] : [...(at === 0 ? [] : [""]), truncate(sanitize(series.label), style.columns)]),
      ...drawSeries(series, { bars: data.chart_type === "bar", scale, axis, columns, rows, style })
    ]),
    ...(more > 0 ? [painted(style, "dim", `and ${more} more`)] : []),
    ...(data.truncated ? [painted(style, "dim", "Only the newest periods are shown.")] : [])
  ]
}

interface Frame {
  readonly bars: boolean
  readonly scale: Scale
  readonly axis: number
  readonly columns: number
  readonly rows: number
  readonly style: Style
}

const drawSeries = (series: Wire<"TimeSeries">, frame: Frame): ReadonlyArray<string> => {
  const { axis, bars, columns, rows, scale, style } = frame
  // A bar takes a column at least: where there are more, the newest are drawn.
  const points = bars ? series.points.slice(-columns) : series.points
  const width = bars ? Math.min(8, Math.floor(columns / points.length)) : 1
  const values = points.map(({ value }) => value)
  const drawing = bars ? barRows(values, { scale, rows, width }) : lineRows(values, { scale, rows, columns })
  const taken = bars ? Math.max(width * points.length - (width > 1 ? 1 : 0), 1) : columns
  const instants = points.map(({ timestamp }) => new Date(timestamp))
  return [
    ...drawing.map((line, at) => {
      const tick = at === 0 ? printNumber(scale.high) : at === rows - 1 ? printNumber(scale.low) : ""
      return `${painted(style, "dim", `${padStart(tick, axis)} ${tick === "" ? "│" : "┤"}`)}${painted(style, bars ? "cyan" : "green", line.trimEnd())}`
    }),
    painted(style, "dim", `${" ".repeat(axis + 2)}${timeAxis(instants, taken)}`)
  ]
}
