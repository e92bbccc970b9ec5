import { type ReactNode, useId } from "react"
import { ErrorNotice } from "./Feedback.js"
import { Icon } from "./Icon.js"

/** A card with a list of items, a button for a new one, and what failed with one of them. */
export const ItemsCard = ({
  title,
  add,
  onAdd,
  error,
  children
}: {
  readonly title: string
  /** What the button says. */
  readonly add: string
  /** Without it there is no button. */
  readonly onAdd: (() => void) | undefined
  readonly error: unknown
  readonly children: ReactNode
}) => {
  const id = useId()
  return (
    <section className="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {onAdd === undefined ? null : (
          <button type="button" className="button small" onClick={onAdd}>
            <Icon name="plus" /> {add}
          </button>
        )}
      </header>
      {error === null ? null : <ErrorNotice error={error} />}
      {children}
    </section>
  )
}
