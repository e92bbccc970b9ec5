import { type ReactNode, useEffect, useId, useRef } from "react"
import { Icon } from "./Icon.js"

/** A modal dialog, open while it is rendered. Without `onClose` it cannot be dismissed. */
export const Dialog = ({
  title,
  onClose,
  narrow = false,
  children
}: {
  readonly title: string
  readonly onClose?: () => void
  readonly narrow?: boolean
  readonly children: ReactNode
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    if (shown !== null && !shown.open) shown.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${narrow ? "narrow" : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose === undefined ? null : (
          <button type="button" className="button quiet icon small" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div className="body">{children}</div>
    </dialog>
  )
}
