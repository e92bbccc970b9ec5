/** The turns of a call, which follow the audio and seek it, with its tool calls between them. */
import { memo, useEffect, useMemo, useState } from "react"
import type { Timings, ToolCall } from "../api/client.js"
import { clock, milliseconds, seconds as inSeconds } from "../rules/format.js"
import {
  gapBefore,
  isAgent,
  redactedParts,
  rowsOf,
  SLOW_ANSWER,
  type Stage,
  stagesByTurn,
  type Turn
} from "../rules/turns.js"
import { Empty } from "./Feedback.js"
import { Icon } from "./Icon.js"

/** Longer texts are cut until their reader asks for the rest. */
const CUT = 6_000

/** Longer arguments and results of tool calls are closed at first. */
const SHORT = 400

/** Text with its redacted values marked. */
const Marked = ({ text }: { readonly text: string }) =>
  redactedParts(text).map((part, place) =>
    part.isRedacted ? (
      <span key={place} className="redacted" title="Redacted before it was stored">
        {part.text}
      </span>
    ) : (
      part.text
    )
  )

/** The beginning of a text, and the button that shows the rest of it. */
const useCut = (text: string) => {
  const [isWhole, setWhole] = useState(false)
  return {
    shown: isWhole ? text : text.slice(0, CUT),
    more:
      isWhole || text.length <= CUT ? null : (
        <button
          type="button"
          className="button small"
          onClick={() => {
            setWhole(true)
          }}
        >
          Show all {text.length.toLocaleString("en-US")} characters
        </button>
      )
  }
}

const Content = ({ text, quote }: { readonly text: string; readonly quote: string | undefined }) => {
  const { more, shown } = useCut(text)
  const at = quote === undefined || quote === "" ? -1 : shown.indexOf(quote)
  return (
    <p className="plain">
      {at < 0 || quote === undefined ? (
        <Marked text={shown} />
      ) : (
        <>
          <Marked text={shown.slice(0, at)} />
          <mark>
            <Marked text={quote} />
          </mark>
          <Marked text={shown.slice(at + quote.length)} />
        </>
      )}
      {more}
    </p>
  )
}

const Time = ({
  at,
  place,
  onSeek
}: {
  readonly at: number | null
  readonly place: string
  readonly onSeek: (seconds: number) => void
}) =>
  at === null ? (
    <span className="turn-time muted">–</span>
  ) : (
    <button
      type="button"
      className="turn-time"
      aria-label={`Go to ${clock(at)}, ${place}`}
      onClick={() => {
        onSeek(at)
      }}
    >
      {clock(at)}
    </button>
  )

/** Arguments or result of a tool call, as they are stored: JSON that is read and written again loses digits of numbers. */
const ToolText = ({ title, of, text }: { readonly title: string; readonly of: string; readonly text: string }) => {
  const { more, shown } = useCut(text)
  return (
    <details className="tool-text" open={text.length <= SHORT}>
      <summary>{title}</summary>
      <pre className="code plain" tabIndex={0} aria-label={`${title} of ${of}`}>
        <Marked text={shown} />
      </pre>
      {more}
    </details>
  )
}

const ToolRow = memo(
  ({
    tool,
    index,
    onSeek
  }: {
    readonly tool: ToolCall
    readonly index: number
    readonly onSeek: (seconds: number) => void
  }) => {
    const place = `tool call ${index + 1}`
    return (
      <li className="turn tool">
        <Time at={tool.start_time} place={place} onSeek={onSeek} />
        <div className="turn-body">
          <div className="turn-head">
            <Icon name="tool" />
            <strong className="truncate plain" title={tool.name}>
              {tool.name}
            </strong>
            {tool.succeeded === null ? null : (
              <span className={`pill ${tool.succeeded ? "good" : "bad"}`}>
                {tool.succeeded ? "Succeeded" : "Failed"}
              </span>
            )}
            {tool.start_time === null || tool.end_time === null ? null : (
              <span className="pill">{milliseconds(Math.max(0, tool.end_time - tool.start_time))}</span>
            )}
          </div>
          {tool.arguments === "" ? null : <ToolText title="Arguments" of={place} text={tool.arguments} />}
          {tool.result === null ? (
            <p className="muted tool-text">No result</p>
          ) : (
            <ToolText title="Result" of={place} text={tool.result} />
          )}
        </div>
      </li>
    )
  }
)

const TurnRow = memo(
  ({
    turn,
    index,
    gap,
    stages,
    isActive,
    quote,
    onSeek
  }: {
    readonly turn: Turn
    readonly index: number
    readonly gap: number | null
    readonly stages: ReadonlyArray<Stage> | undefined
    readonly isActive: boolean
    readonly quote: string | undefined
    readonly onSeek: (seconds: number) => void
  }) => (
    <li id={`turn-${index}`} className={`turn ${isAgent(turn) ? "agent" : "caller"} ${isActive ? "active" : ""}`}>
      <Time at={turn.start_time} place={`turn ${index + 1}`} onSeek={onSeek} />
      <div className="turn-body">
        <div className="turn-head">
          <strong>{isAgent(turn) ? "Agent" : "Caller"}</strong>
          {gap === null ? null : gap < -0.05 ? (
            <span className="pill warn">overlaps by {inSeconds(-gap)}</span>
          ) : isAgent(turn) ? (
            <span className={`pill ${gap > SLOW_ANSWER ? "bad" : ""}`}>answered in {inSeconds(Math.max(0, gap))}</span>
          ) : null}
        </div>
        <Content text={turn.content} quote={quote} />
        {stages === undefined || stages.length === 0 ? null : (
          <dl className="stages" aria-label={`Stages of turn ${index + 1}`}>
            {stages.map(({ name, seconds, source }) => (
              <div key={name} title={`${source}, as the platform measured it`}>
                <dt>{name}</dt>
                <dd>{milliseconds(seconds)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  )
)

export interface Quote {
  readonly turn: number
  readonly text: string
}

const NO_TOOLS: ReadonlyArray<ToolCall> = []
const NO_TIMINGS: Timings = []

const turnElement = (index: number): HTMLElement | null => document.querySelector(`#turn-${index}`)

/** Rendered again when the active turn changes, not with every frame of the recording. */
export const Transcript = memo(
  ({
    turns,
    tools = NO_TOOLS,
    timings = NO_TIMINGS,
    active,
    isFollowing,
    quote,
    onSeek
  }: {
    readonly turns: ReadonlyArray<Turn>
    readonly tools: ReadonlyArray<ToolCall> | undefined
    readonly timings: Timings | undefined
    readonly active: number
    readonly isFollowing: boolean
    readonly quote: Quote | undefined
    readonly onSeek: (seconds: number) => void
  }) => {
    useEffect(() => {
      if (isFollowing && active >= 0) turnElement(active)?.scrollIntoView({ block: "nearest", behavior: "smooth" })
    }, [active, isFollowing])
    useEffect(() => {
      if (quote !== undefined) turnElement(quote.turn)?.scrollIntoView({ block: "center" })
    }, [quote])
    const rows = useMemo(() => rowsOf(turns, tools), [turns, tools])
    const stages = useMemo(() => stagesByTurn(timings), [timings])
    if (rows.length === 0) {
      return (
        <Empty title="No transcript">
          <p>The platform sent none with this call.</p>
        </Empty>
      )
    }
    return (
      <ol className="transcript" aria-label="Transcript">
        {rows.map(({ index, kind }) => {
          const tool = kind === "tool" ? tools[index] : undefined
          const turn = kind === "turn" ? turns[index] : undefined
          return tool !== undefined ? (
            <ToolRow key={`tool ${index}`} tool={tool} index={index} onSeek={onSeek} />
          ) : turn !== undefined ? (
            <TurnRow
              key={`turn ${index}`}
              turn={turn}
              index={index}
              gap={gapBefore(turns, index)}
              stages={stages.get(index)}
              isActive={index === active}
              quote={quote?.turn === index ? quote.text : undefined}
              onSeek={onSeek}
            />
          ) : null
        })}
      </ol>
    )
  }
)
