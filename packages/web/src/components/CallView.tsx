/** A conversation: its waveform or turns on a clock, its transcript, and what metrics found. For calls and for runs. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { Evaluation, Timings, ToolCall } from "../api/client.js"
import { clock } from "../rules/format.js"
import { lastEnd, SLOW_ANSWER, type Turn, turnAt } from "../rules/turns.js"
import { EvaluationList } from "./Evaluations.js"
import { Icon } from "./Icon.js"
import { type Quote, Transcript } from "./Transcript.js"
import { type Region, Waveform } from "./Waveform.js"
import "../styles/call.css"

export type Peaks =
  | { readonly status: "ready"; readonly duration: number; readonly peaks: ReadonlyArray<ReadonlyArray<number>> }
  | { readonly status: "pending" }
  | { readonly status: "unavailable"; readonly reason: string }

const SPEEDS = [1, 1.25, 1.5, 2]

/** The metrics whose moments are marked on the clock, by their slug; other metrics count the same moments again. */
const MARKED: Readonly<
  Record<string, { readonly name: string; readonly tone: Region["tone"]; readonly from: number }>
> = {
  latency_ms: { name: "Slow answer", tone: "warn", from: SLOW_ANSWER },
  silence_detection: { name: "Silence", tone: "info", from: 0 },
  user_interrupting_ai: { name: "The caller interrupts", tone: "bad", from: 0 },
  ai_interrupting_user: { name: "The agent interrupts", tone: "bad", from: 0 }
}

const regionsOf = (evaluations: ReadonlyArray<Evaluation>): ReadonlyArray<Region> =>
  evaluations.flatMap(({ moments, slug }) => {
    const marked = slug === null ? undefined : MARKED[slug]
    if (marked === undefined) return []
    const { from, name, tone } = marked
    return moments
      .map(({ at_second, duration_ms }) => ({ at: at_second, seconds: duration_ms / 1000, name, tone }))
      .filter(({ seconds }) => seconds >= from)
  })

/** The longest name of a tool in a mark on the clock. */
const NAME = 80

const regionsOfTools = (tools: ReadonlyArray<ToolCall>): ReadonlyArray<Region> =>
  tools.flatMap(({ end_time, name, start_time }) =>
    start_time === null
      ? []
      : {
          at: start_time,
          seconds: Math.max(0, (end_time ?? start_time) - start_time),
          name: `Tool call ${name.slice(0, NAME)}`,
          tone: "tool" as const
        }
  )

/** Whether a key is typed into a field, where it is no shortcut. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

export const CallView = ({
  turns,
  tools,
  timings,
  evaluations,
  recording,
  peaks,
  aside,
  onKey
}: {
  readonly turns: ReadonlyArray<Turn> | null
  readonly tools?: ReadonlyArray<ToolCall> | undefined
  readonly timings?: Timings | undefined
  readonly evaluations: ReadonlyArray<Evaluation>
  /** The address of the audio; undefined if there is none. */
  readonly recording?: string
  readonly peaks?: Peaks
  /** Cards beside the transcript, above and below the metrics. */
  readonly aside: { readonly before?: ReactNode; readonly after?: ReactNode }
  readonly onKey?: (key: string) => void
}) => {
  const audio = useRef<HTMLAudioElement>(null)
  const [position, setPosition] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [isFollowing, setFollowing] = useState(true)
  const [speed, setSpeed] = useState(1)
  const [failure, setFailure] = useState(false)
  const [quote, setQuote] = useState<Quote>()
  const known = useMemo(() => turns ?? [], [turns])
  const ready = peaks?.status === "ready" ? peaks : undefined
  const duration = Math.max(ready?.duration ?? 0, lastEnd(known), lastEnd(tools ?? []))
  const regions = useMemo(() => [...regionsOf(evaluations), ...regionsOfTools(tools ?? [])], [evaluations, tools])
  const active = turnAt(known, position)

  const seek = useCallback((seconds: number) => {
    setPosition(seconds)
    if (audio.current !== null) audio.current.currentTime = seconds
  }, [])
  const toggle = useCallback(() => {
    const player = audio.current
    if (player === null) return
    if (player.paused) {
      player.play().catch(() => {
        setFailure(true)
      })
    } else player.pause()
  }, [])

  /** The time in steps of a frame while it plays, since `timeupdate` comes four times a second. */
  useEffect(() => {
    if (!isPlaying) return
    let frame = 0
    const follow = () => {
      if (audio.current !== null) setPosition(audio.current.currentTime)
      frame = requestAnimationFrame(follow)
    }
    frame = requestAnimationFrame(follow)
    return () => {
      cancelAnimationFrame(frame)
    }
  }, [isPlaying])

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0
      if (event.key === " ") {
        if (event.target instanceof HTMLButtonElement) return
        event.preventDefault()
        toggle()
      } else if (step !== 0) {
        const to = Math.max(0, Math.min(known.length - 1, active + step))
        const start = known[to]?.start_time
        if (start !== null && start !== undefined) seek(start)
      } else onKey?.(event.key)
    }
    document.addEventListener("keydown", onKeyDown)
    return () => {
      document.removeEventListener("keydown", onKeyDown)
    }
  }, [active, known, onKey, seek, toggle])

  return (
    <div className="call-layout">
      <div className="call-main">
        {duration > 0 ? (
          <section className="card player" aria-label="Timeline">
            <Waveform
              duration={duration}
              peaks={ready?.peaks}
              turns={known}
              regions={regions}
              position={position}
              onSeek={seek}
            />
            <div className="player-bar">
              {recording === undefined ? null : (
                <button
                  type="button"
                  className="button primary icon"
                  aria-label={isPlaying ? "Pause" : "Play"}
                  onClick={toggle}
                >
                  <Icon name={isPlaying ? "pause" : "play"} />
                </button>
              )}
              <span className="clock">
                {clock(position)} <span className="muted">/ {clock(duration)}</span>
              </span>
              <span className="legend caller">Caller</span>
              <span className="legend agent">Agent</span>
              <span className="grow" />
              {recording === undefined ? (
                <span className="muted">No recording</span>
              ) : (
                <>
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={isFollowing}
                      onChange={() => {
                        setFollowing(!isFollowing)
                      }}
                    />
                    Follow
                  </label>
                  <select
                    className="input speed"
                    aria-label="Speed"
                    value={speed}
                    onChange={(event) => {
                      const next = Number(event.target.value)
                      setSpeed(next)
                      if (audio.current !== null) audio.current.playbackRate = next
                    }}
                  >
                    {SPEEDS.map((one) => (
                      <option key={one} value={one}>
                        {one}×
                      </option>
                    ))}
                  </select>
                  <a className="button icon" href={recording} download aria-label="Download the recording">
                    <Icon name="download" />
                  </a>
                </>
              )}
            </div>
            {peaks?.status === "pending" ? (
              <p className="muted pad-small" role="status">
                The waveform is being computed…
              </p>
            ) : peaks?.status === "unavailable" ? (
              <p className="muted pad-small plain">{peaks.reason}</p>
            ) : null}
            {failure ? (
              <p className="field-error pad-small" role="alert">
                The recording cannot be played in this browser. Download it instead.
              </p>
            ) : null}
            {recording === undefined ? null : (
              <audio
                ref={audio}
                src={recording}
                preload="metadata"
                onPlay={() => {
                  setPlaying(true)
                }}
                onPause={() => {
                  setPlaying(false)
                }}
                onError={() => {
                  setFailure(true)
                }}
              />
            )}
          </section>
        ) : null}
        <section className="card" aria-label="Transcript">
          <Transcript
            turns={known}
            tools={tools}
            timings={timings}
            active={position > 0 ? active : -1}
            isFollowing={isFollowing && isPlaying}
            quote={quote}
            onSeek={seek}
          />
        </section>
      </div>
      <aside className="call-aside" aria-label="About this call">
        {aside.before}
        <section className="card" aria-labelledby="metrics-title">
          <header>
            <h2 id="metrics-title">Metrics</h2>
          </header>
          <EvaluationList evaluations={evaluations} onQuote={setQuote} onSeek={seek} />
        </section>
        {aside.after}
      </aside>
    </div>
  )
}
