import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { deliveryQuery } from "../api/call.js"
import { number } from "../rules/format.js"
import { Loaded } from "./Feedback.js"
import { CopyButton } from "./Secret.js"

/** Characters of a delivery that are drawn before its reader asks for the rest. */
const DRAWN = 50_000

/** What is stored of the deliveries of a call, read when it is opened. */
export const Delivery = ({ id }: { readonly id: number }) => {
  const [isOpen, setOpen] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const delivery = useQuery({ ...deliveryQuery(id), enabled: isOpen, placeholderData: undefined })
  return (
    <details
      className="card json"
      onToggle={(event) => {
        setOpen(event.currentTarget.open)
      }}
    >
      <summary>Delivery</summary>
      <p className="muted pad-small">
        What is stored of what the platform sent, after redaction. What it sent beside that is not stored.
      </p>
      {isOpen ? (
        <Loaded of={delivery}>
          {(text) => (
            <>
              <div className="row pad-small">
                <CopyButton text={text} name="the delivery" />
                {isWhole || text.length <= DRAWN ? null : (
                  <button
                    type="button"
                    className="button small"
                    onClick={() => {
                      setWhole(true)
                    }}
                  >
                    Show all {number(text.length)} characters
                  </button>
                )}
              </div>
              <pre className="code plain" tabIndex={0} aria-label="Delivery">
                {isWhole ? text : text.slice(0, DRAWN)}
              </pre>
            </>
          )}
        </Loaded>
      ) : null}
    </details>
  )
}
