import { useEffect, useRef, useSyncExternalStore } from "react"
import { connection } from "../api/client.js"
import type { ConnectionState } from "../api/connection.js"

const MESSAGES: Readonly<Record<Exclude<ConnectionState, "connected">, string>> = {
  busy: "The server is starting or busy.",
  unreachable: "The server cannot be reached."
}

/** Says that the server does not answer, for as long as it does not. A popover, so that it is above an open dialog. */
export const ConnectionBanner = () => {
  const state = useSyncExternalStore(connection.subscribe, connection.state)
  const banner = useRef<HTMLDivElement>(null)
  const isLost = state !== "connected"
  useEffect(() => {
    const shown = banner.current
    if (shown === null || shown.matches(":popover-open") === isLost) return
    if (isLost) shown.showPopover()
    else shown.hidePopover()
  }, [isLost])
  return (
    <div ref={banner} popover="manual" className="connection" role="status" aria-label="Connection">
      {state === "connected" ? null : (
        <div className="notice warn">
          <div>
            <strong>{MESSAGES[state]}</strong> What you have typed on this page is kept. Retrying every two seconds.
          </div>
          <div>
            <button
              type="button"
              className="button small"
              onClick={() => {
                void connection.check()
              }}
            >
              Try now
            </button>
          </div>
        </div>
      )}
    </div>
  )
}
