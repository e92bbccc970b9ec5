/** Copying a text, and secrets that are shown once. */
import { type ReactNode, useEffect, useState } from "react"
import { Dialog } from "./Dialog.js"
import { Icon } from "./Icon.js"

/** Copies a text. Browsers offer the clipboard only to pages on https or this machine; others copy a selection. */
const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement("textarea")
    area.value = text
    // In the open dialog, since what is outside of it cannot be selected.
    const parent = document.querySelector("dialog[open]") ?? document.body
    parent.append(area)
    area.select()
    // eslint-disable-next-line typescript/no-deprecated -- there is no other way without https
    const isCopied = document.execCommand("copy")
    area.remove()
    return isCopied
  }
}

const SHOWN_MILLIS = 2_000

export const CopyButton = ({ text, name }: { readonly text: string; readonly name: string }) => {
  const [outcome, setOutcome] = useState<boolean>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => {
      setOutcome(undefined)
    }, SHOWN_MILLIS)
    return () => {
      clearTimeout(timer)
    }
  }, [outcome])
  return (
    <button
      type="button"
      className="button small"
      aria-label={outcome === undefined ? `Copy ${name}` : undefined}
      onClick={() => {
        void copy(text).then(setOutcome)
      }}
    >
      <Icon name={outcome === true ? "check" : "copy"} />
      <span aria-live="polite">{outcome === undefined ? "Copy" : outcome ? "Copied" : "Select it instead"}</span>
    </button>
  )
}

/** A value with its name and a button that copies it. */
export const Copied = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div className="field">
    <div className="row spread">
      <span className="label">{name}</span>
      <CopyButton text={value} name={name.toLowerCase()} />
    </div>
    <pre className="code plain" tabIndex={0} aria-label={name}>
      {value}
    </pre>
  </div>
)

/** What was issued. It is closed with a button, since it cannot be opened again. */
export const SecretDialog = ({
  title,
  children,
  onClose
}: {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
}) => (
  <Dialog title={title} onClose={onClose}>
    <div className="stack">{children}</div>
    <footer>
      <button type="button" className="button primary" onClick={onClose}>
        Done
      </button>
    </footer>
  </Dialog>
)
