/** A run while it is played: its turns as they are said, and the sound of its call. */
import { useEffect, useRef, useState } from "react"
import { listenToRun, type LiveTurn } from "../api/live.js"
import { clock } from "../rules/format.js"
import { makeCallSound } from "../rules/callSound.js"
import { Empty, ErrorNotice } from "./Feedback.js"

type State = { readonly is: "live" | "ended" } | { readonly is: "failed"; readonly error: unknown }

const NAMES = { testing_agent: "Testing agent", main_agent: "Agent" } as const

export const LiveRun = ({ id }: { readonly id: number }) => {
  const [turns, setTurns] = useState<ReadonlyArray<LiveTurn>>([])
  const [state, setState] = useState<State>({ is: "live" })
  const [hasSound, setHasSound] = useState(false)
  const [isPlaying, setPlaying] = useState(false)
  const sound = useRef<ReturnType<typeof makeCallSound>>(undefined)
  useEffect(() => {
    const leaving = new AbortController()
    const listen = async (): Promise<void> => {
      try {
        for await (const event of listenToRun(id, leaving.signal)) {
          if (event.type === "turn") setTurns((known) => [...known, event])
          else if (event.type === "audio") {
            setHasSound(true)
            sound.current?.play(event)
          }
        }
        setState({ is: "ended" })
      } catch (error) {
        if (!leaving.signal.aborted) setState({ is: "failed", error })
      }
    }
    setTurns([])
    void listen()
    return () => {
      leaving.abort()
      sound.current?.close()
      sound.current = undefined
    }
  }, [id])
  return (
    <section className="card" aria-labelledby="live-title">
      <header>
        <div className="row">
          <h2 id="live-title">In progress</h2>
          {state.is === "live" ? (
            <span className="muted row">
              <span className="live" /> Live
            </span>
          ) : null}
        </div>
        {hasSound && state.is === "live" ? (
          <button
            type="button"
            className="button small"
            aria-pressed={isPlaying}
            onClick={() => {
              if (isPlaying) {
                sound.current?.close()
                sound.current = undefined
              } else sound.current = makeCallSound()
              setPlaying(!isPlaying)
            }}
          >
            {isPlaying ? "Stop listening" : "Listen"}
          </button>
        ) : null}
      </header>
      <div className="body stack" aria-live="polite">
        {state.is === "failed" ? <ErrorNotice error={state.error} /> : null}
        {turns.length === 0 && state.is === "live" ? <Empty title="Nothing has been said yet" /> : null}
        {turns.map(({ content, speaker, start_time: start }, place) => (
          <p key={place} className="plain">
            <strong>{NAMES[speaker]}</strong> <span className="muted">{start === null ? "" : clock(start)}</span>{" "}
            {content}
          </p>
        ))}
      </div>
    </section>
  )
}
