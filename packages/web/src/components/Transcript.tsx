/** The turns of a call, which follow the audio and seek it. */
import { memo, useEffect, useRef, useState } from "react"
import { clock, seconds as inSeconds } from "../rules/format.js"
import { gapBefore, isAgent, redactedParts, SLOW_ANSWER, type Turn } from "../rules/turns.js"

/** Longer turns are cut until their reader asks for the rest. */
const CUT = 6_000

const Content = ({ text, quote }: { readonly text: string; readonly quote: string | undefined }) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? text : text.slice(0, CUT)
  const at = quote === undefined || quote === "" ? -1 : shown.indexOf(quote)
  const pieces =
    at < 0 || quote === undefined
      ? [{ text: shown, isQuote: false }]
      : [
          { text: shown.slice(0, at), isQuote: false },
          { text: quote, isQuote: true },
          { text: shown.slice(at + quote.length), isQuote: false }
        ]
  return (
    <p className="plain">
      {pieces.map((piece, index) => {
        const parts = redactedParts(piece.text).map((part, place) =>
          part.isRedacted ? (
            <span key={place} className="redacted" title="Redacted before it was stored">
              {part.text}
            </span>
          ) : (
            part.text
          )
        )
        return piece.isQuote ? <mark key={index}>{parts}</mark> : <span key={index}>{parts}</span>
      })}
      {isWhole || text.length <= CUT ? null : (
        <button
          type="button"
          className="button small"
          onClick={() => {
            setWhole(true)
          }}
        >
          Show all {text.length.toLocaleString("en-US")} characters
        </button>
      )}
    </p>
  )
}

const TurnRow = memo(
  ({
    turn,
    index,
    gap,
    isActive,
    quote,
    onSeek
  }: {
    readonly turn: Turn
    readonly index: number
    readonly gap: number | null
    readonly isActive: boolean
    readonly quote: string | undefined
    readonly onSeek: (seconds: number, index: number) => void
  }) => (
    <li id={`turn-${index}`} className={`turn ${isAgent(turn) ? "agent" : "caller"} ${isActive ? "active" : ""}`}>
      {turn.start_time === null ? (
        <span className="turn-time muted">–</span>
      ) : (
        <button
          type="button"
          className="turn-time"
          aria-label={`Go to ${clock(turn.start_time)}, turn ${index + 1}`}
          onClick={() => {
            onSeek(turn.start_time ?? 0, index)
          }}
        >
          {clock(turn.start_time)}
        </button>
      )}
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
      </div>
    </li>
  )
)

export interface Quote {
  readonly turn: number
  readonly text: string
}

export const Transcript = ({
  turns,
  active,
  isFollowing,
  quote,
  onSeek
}: {
  readonly turns: ReadonlyArray<Turn>
  readonly active: number
  readonly isFollowing: boolean
  readonly quote: Quote | undefined
  readonly onSeek: (seconds: number, index: number) => void
}) => {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (isFollowing && active >= 0) {
      list.current?.children[active]?.scrollIntoView({ block: "nearest", behavior: "smooth" })
    }
  }, [active, isFollowing])
  useEffect(() => {
    if (quote !== undefined) list.current?.children[quote.turn]?.scrollIntoView({ block: "center" })
  }, [quote])
  return (
    <ol className="transcript" ref={list} aria-label="Transcript">
      {turns.map((turn, index) => (
        <TurnRow
          key={index}
          turn={turn}
          index={index}
          gap={gapBefore(turns, index)}
          isActive={index === active}
          quote={quote?.turn === index ? quote.text : undefined}
          onSeek={onSeek}
        />
      ))}
    </ol>
  )
}
