/** The saved views of the list of calls, kept in this browser. */
import { useState } from "react"
import { MAX_VIEWS, readViews, type View, withoutView, withView } from "../rules/views.js"
import { Icon } from "./Icon.js"
import { Popover } from "./Popover.js"
import { useStored } from "./stored.js"

const SaveForm = ({ onSave }: { readonly onSave: (name: string) => void }) => {
  const [name, setName] = useState("")
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === "") return
        onSave(name.trim())
        setName("")
      }}
    >
      <input
        className="input"
        aria-label="Name of the view"
        placeholder="Name"
        value={name}
        maxLength={80}
        onChange={(event) => {
          setName(event.target.value)
        }}
      />
      <button type="submit" className="button small" disabled={name.trim() === ""}>
        Save view
      </button>
    </form>
  )
}

export const SavedViews = ({
  organization,
  current,
  onOpen
}: {
  readonly organization: number
  /** What is shown now. */
  readonly current: Omit<View, "name">
  readonly onOpen: (view: View) => void
}) => {
  const [views, setViews] = useStored<ReadonlyArray<View>>(`earshot.views.${organization}`, [], readViews)
  return (
    <Popover
      side="right"
      label={
        <>
          <Icon name="filter" /> Views
        </>
      }
    >
      {(close) => (
        <div className="stack">
          {views.length === 0 ? (
            <p className="muted">A view is the filter, agent and columns of this list under a name.</p>
          ) : (
            <ul aria-label="Saved views">
              {views.map((view) => (
                <li key={view.name} className="row">
                  <button
                    type="button"
                    className="menu-item truncate plain grow"
                    onClick={() => {
                      onOpen(view)
                      close()
                    }}
                  >
                    {view.name}
                  </button>
                  <button
                    type="button"
                    className="button quiet icon small"
                    aria-label={`Delete the view ${view.name}`}
                    onClick={() => {
                      setViews(withoutView(views, view.name))
                    }}
                  >
                    <Icon name="trash" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <SaveForm
            onSave={(name) => {
              setViews(withView(views, { ...current, name }))
            }}
          />
          <p className="muted small">
            Views are kept in this browser, up to {MAX_VIEWS}. Copy the address to share one.
          </p>
        </div>
      )}
    </Popover>
  )
}
