/** A call on one clock: both channels' peaks, or the turns where there is no recording, with what metrics found. */
import { memo, useEffect, useRef, useState } from "react"
import { clock } from "../rules/format.js"
import { isAgent, type Turn } from "../rules/turns.js"
import { colorOf } from "./theme.js"

export interface Region {
  readonly at: number
  readonly seconds: number
  readonly name: string
  readonly tone: "bad" | "warn" | "info" | "tool"
}

interface Drawn {
  readonly duration: number
  readonly peaks: ReadonlyArray<ReadonlyArray<number>> | undefined
  readonly turns: ReadonlyArray<Turn>
}

const HEIGHT = 112
const CHANNELS = 2

const draw = (canvas: HTMLCanvasElement, { duration, peaks, turns }: Drawn, width: number): void => {
  const scale = window.devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(HEIGHT * scale)
  const context = canvas.getContext("2d")
  if (context === null || duration <= 0) return
  context.scale(scale, scale)
  context.clearRect(0, 0, width, HEIGHT)
  const colors = [colorOf("caller"), colorOf("agent")]
  const x = (seconds: number) => (seconds / duration) * width
  if (peaks === undefined || peaks.length === 0) {
    for (const turn of turns) {
      const { end_time, start_time } = turn
      if (start_time === null) continue
      const band = isAgent(turn) ? 1 : 0
      context.fillStyle = colors[band] ?? ""
      context.beginPath()
      context.roundRect(x(start_time), 18 + band * 46, Math.max(2, x((end_time ?? start_time) - start_time)), 30, 4)
      context.fill()
    }
    return
  }
  const band = HEIGHT / peaks.length
  for (const [channel, values] of peaks.entries()) {
    context.fillStyle = colors[peaks.length === 1 ? 1 : channel % CHANNELS] ?? ""
    const middle = band * (channel + 0.5)
    const count = values.length / 2
    // One bar of two pixels in three, so that loudness is seen rather than a solid block.
    for (let left = 0; left < width; left += 3) {
      const from = Math.floor((left / width) * count)
      const to = Math.max(from + 1, Math.floor(((left + 3) / width) * count))
      let [low, high] = [0, 0]
      for (let at = from; at < to && at < count; at++) {
        low = Math.min(low, values[at * 2] ?? 0)
        high = Math.max(high, values[at * 2 + 1] ?? 0)
      }
      const height = Math.max(1.5, ((high - low) / 255) * (band - 8))
      context.fillRect(left, middle - height / 2, 2, height)
    }
  }
}

const shareOf = (seconds: number, duration: number): string =>
  `${duration > 0 ? Math.min(100, (seconds / duration) * 100) : 0}%`

/** Not rendered again with every frame of the recording, since a call can have thousands. */
const Regions = memo(({ duration, regions }: { readonly duration: number; readonly regions: ReadonlyArray<Region> }) =>
  regions.map((region, index) => (
    <div
      key={index}
      className={`region ${region.tone}`}
      title={`${region.name}, ${clock(region.at)}`}
      style={{ left: shareOf(region.at, duration), width: `max(3px, ${shareOf(region.seconds, duration)})` }}
    />
  ))
)

export const Waveform = ({
  duration,
  peaks,
  turns,
  regions,
  position,
  onSeek
}: Drawn & {
  readonly regions: ReadonlyArray<Region>
  readonly position: number
  readonly onSeek: (seconds: number) => void
}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const parent = canvas.current?.parentElement
    if (parent === null || parent === undefined) return
    const observer = new ResizeObserver(([entry]) => {
      setWidth(entry?.contentRect.width ?? 0)
    })
    observer.observe(parent)
    return () => {
      observer.disconnect()
    }
  }, [])
  useEffect(() => {
    const shown = canvas.current
    if (shown === null || width === 0) return
    const redraw = () => {
      draw(shown, { duration, peaks, turns }, width)
    }
    redraw()
    // The colors follow the theme.
    const observer = new MutationObserver(redraw)
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] })
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    scheme.addEventListener("change", redraw)
    return () => {
      observer.disconnect()
      scheme.removeEventListener("change", redraw)
    }
  }, [duration, peaks, turns, width])
  return (
    <div
      className="waveform"
      role="slider"
      tabIndex={0}
      aria-label="Position in the call"
      aria-valuemin={0}
      aria-valuemax={Math.round(duration)}
      aria-valuenow={Math.round(position)}
      aria-valuetext={`${clock(position)} of ${clock(duration)}`}
      onKeyDown={(event) => {
        const by = event.key === "ArrowRight" ? 5 : event.key === "ArrowLeft" ? -5 : 0
        if (by === 0) return
        event.preventDefault()
        event.stopPropagation()
        onSeek(Math.max(0, Math.min(duration, position + by)))
      }}
      onPointerDown={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        onSeek(((event.clientX - box.left) / box.width) * duration)
      }}
    >
      <canvas ref={canvas} style={{ height: HEIGHT }} />
      <Regions duration={duration} regions={regions} />
      <div className="playhead" style={{ left: shareOf(position, duration) }} />
    </div>
  )
}
