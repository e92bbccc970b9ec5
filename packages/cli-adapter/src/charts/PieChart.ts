import { truncate, sanitize, padEnd, padStart, displayWidth } from "../Text.js"
import type { Wire } from "../Wire.js"
import { printNumber, printShare } from "./Numbers.js"
import { painted, type Style } from "./Style.js"

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const

/** A bar of so many columns, exact to an eighth of one. A share above 0 is never drawn as nothing. */
export const shareBar = (share: number, columns: number): string => {
  const eighths = Math.max(share > 0 ? 1 : 0, Math.round(Math.min(1, Math.max(0, share)) * columns * 8))
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "")
}

const drawSlices = (series: Wire<"SliceSeries">, style: Style): ReadonlyArray<string> => {
  const rows = series.points.map((slice) => ({
    label: sanitize(slice.label),
    count: printNumber(slice.value),
    share: printShare(slice.share),
    part: slice.share
  }))
  const counts = Math.max(...rows.map(({ count }) => displayWidth(count)))
  const shares = Math.max(...rows.map(({ share }) => displayWidth(share)))
  const labels = Math.min(
    Math.max(...rows.map(({ label }) => displayWidth(label))),
    Math.max(4, Math.floor(style.columns * 0.4))
  )
  const bars = Math.max(0, Math.min(50, style.columns - labels - counts - shares - 6))
  return rows.map(({ count, label, part, share }) =>
    truncate(`${padEnd(label, labels)}  ${padStart(share, shares)}  ${padStart(count, counts)}`, style.columns).concat(
      bars === 0 ? "" : `  ${painted(style, "cyan", shareBar(part, bars))}`
    )
  )
}

/** Each slice as a line: what it is, its share, how many, and a bar. */
export const drawPie = (data: Wire<"PieData">, style: Style): ReadonlyArray<string> => {
  const drawn = data.series.filter((series) => series.points.length > 0)
  return drawn.length === 0
    ? [painted(style, "dim", "no data")]
    : drawn.flatMap((series, at) => [
        ...(series.kind === "all"
          ? []
          : [
              ...(at === 0 ? [] : [""]),
              truncate(`${sanitize(series.label)} (${printNumber(series.total)})`, style.columns)
            ]),
        ...drawSlices(series, style)
      ])
}
