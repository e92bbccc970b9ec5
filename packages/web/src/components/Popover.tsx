import { type ReactNode, useEffect, useId, useRef, useState } from "react"

/** A button with a panel below it, which closes with Escape, a click elsewhere, or when the focus leaves it. */
export const Popover = ({
  label,
  className = "button",
  title,
  side = "left",
  children
}: {
  readonly label: ReactNode
  readonly className?: string
  readonly title?: string
  readonly side?: "left" | "right"
  readonly children: (close: () => void) => ReactNode
}) => {
  const [isOpen, setOpen] = useState(false)
  const anchor = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const onPointer = (event: PointerEvent) => {
      if (event.target instanceof Node && anchor.current?.contains(event.target) !== true) setOpen(false)
    }
    document.addEventListener("pointerdown", onPointer)
    return () => {
      document.removeEventListener("pointerdown", onPointer)
    }
  }, [isOpen])
  return (
    <div
      className="anchor"
      ref={anchor}
      onKeyDown={(event) => {
        if (event.key === "Escape" && isOpen) {
          event.stopPropagation()
          close()
        }
      }}
      onBlur={(event) => {
        // The focus goes nowhere when what had it is removed by its own action.
        if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
    >
      <button
        ref={button}
        type="button"
        className={className}
        title={title}
        aria-label={title}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => {
          setOpen(!isOpen)
        }}
      >
        {label}
      </button>
      {isOpen ? (
        <div id={id} className={`popover ${side}`}>
          {children(close)}
        </div>
      ) : null}
    </div>
  )
}
