/** The filter of a page: its conditions as labels, and a dialog for the whole of it as a form or as JSON. */
import { useState } from "react"
import {
  type Condition,
  describe,
  type FilterTree,
  fromConditions,
  type Group,
  isEmpty,
  isGroup,
  type Leaf,
  readFilter,
  topConditions
} from "../rules/filter.js"
import { Dialog } from "./Dialog.js"
import { GroupEditor, LeafEditor, NEW_LEAF } from "./FilterFields.js"
import { Icon } from "./Icon.js"
import { Popover } from "./Popover.js"

interface Editing {
  readonly filter: FilterTree
  readonly onChange: (filter: FilterTree) => void
}

const asGroup = (filter: FilterTree): Group =>
  filter !== null && isGroup(filter) ? filter : { operator: "and", conditions: filter === null ? [] : [filter] }

const parseJson = (text: string): FilterTree | undefined => {
  try {
    return text.trim() === "" ? null : readFilter(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The whole filter, as a form and as JSON; each follows the other. */
const FilterDialog = ({ filter, onChange, onClose }: Editing & { readonly onClose: () => void }) => {
  const [draft, setDraft] = useState(filter)
  const [json, setJson] = useState(() => JSON.stringify(filter, null, 2))
  const parsed = parseJson(json)
  const set = (next: FilterTree) => {
    setDraft(next)
    setJson(JSON.stringify(isEmpty(next) ? null : next, null, 2))
  }
  return (
    <Dialog title="Filter" onClose={onClose}>
      <GroupEditor group={asGroup(draft)} onChange={set} />
      <label className="field">
        <span className="label">The same as JSON</span>
        <textarea
          className="input mono"
          rows={Math.min(12, json.split("\n").length + 1)}
          value={json}
          spellCheck={false}
          aria-invalid={parsed === undefined}
          onChange={(event) => {
            setJson(event.target.value)
            const read = parseJson(event.target.value)
            if (read !== undefined) setDraft(read)
          }}
        />
        {parsed === undefined ? <span className="field-error">This is not a filter.</span> : null}
        <span className="hint">The API takes it as filters_v2, and dashboards and widgets as filters.</span>
      </label>
      <footer>
        <button type="button" className="button quiet" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button primary"
          disabled={parsed === undefined}
          onClick={() => {
            onChange(isEmpty(draft) ? null : draft)
            onClose()
          }}
        >
          Apply
        </button>
      </footer>
    </Dialog>
  )
}

const ConditionEditor = ({
  initial,
  action,
  onDone,
  onRemove
}: {
  readonly initial: Leaf
  readonly action: string
  readonly onDone: (leaf: Leaf) => void
  readonly onRemove?: () => void
}) => {
  const [leaf, setLeaf] = useState(initial)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onDone(leaf)
      }}
    >
      <LeafEditor leaf={leaf} onChange={setLeaf} />
      <div className="row spread">
        {onRemove === undefined ? (
          <span />
        ) : (
          <button type="button" className="button quiet small danger" onClick={onRemove}>
            Remove
          </button>
        )}
        <button type="submit" className="button primary small">
          {action}
        </button>
      </div>
    </form>
  )
}

const PRESETS: ReadonlyArray<readonly [name: string, leaf: Leaf]> = [
  ["Last 24 hours", { field: "timestamp", op: "gte", value: "now-24h" }],
  ["Last 7 days", { field: "timestamp", op: "gte", value: "today-7d" }],
  ["Failed", { field: "success", op: "eq", value: false }],
  ["Not reviewed", { field: "is_reviewed", op: "eq", value: false }]
]

export const FilterBar = ({ filter, onChange }: Editing) => {
  const [isOpen, setOpen] = useState(false)
  const conditions = topConditions(filter)
  const set = (next: ReadonlyArray<Condition>) => {
    onChange(fromConditions(next))
  }
  const unused = PRESETS.filter(([, preset]) => conditions.every((one) => isGroup(one) || one.field !== preset.field))
  return (
    <div className="filter-bar">
      {conditions.map((condition, index) =>
        isGroup(condition) ? (
          <button
            key={`${index} ${JSON.stringify(condition)}`}
            type="button"
            className="chip"
            onClick={() => {
              setOpen(true)
            }}
          >
            <span className="truncate plain">{describe(condition)}</span>
          </button>
        ) : (
          <Popover
            key={`${index} ${JSON.stringify(condition)}`}
            className="chip"
            label={<span className="truncate plain">{describe(condition)}</span>}
          >
            {(close) => (
              <ConditionEditor
                initial={condition}
                action="Apply"
                onDone={(leaf) => {
                  close()
                  set(conditions.map((one, at) => (at === index ? leaf : one)))
                }}
                onRemove={() => {
                  close()
                  set(conditions.filter((_, at) => at !== index))
                }}
              />
            )}
          </Popover>
        )
      )}
      <Popover
        className="button quiet small"
        label={
          <>
            <Icon name="plus" /> Filter
          </>
        }
      >
        {(close) => (
          <ConditionEditor
            initial={NEW_LEAF}
            action="Add"
            onDone={(leaf) => {
              close()
              set([...conditions, leaf])
            }}
          />
        )}
      </Popover>
      {unused.map(([name, leaf]) => (
        <button
          key={name}
          type="button"
          className="button quiet small preset"
          onClick={() => {
            set([...conditions, leaf])
          }}
        >
          {name}
        </button>
      ))}
      <span className="grow" />
      <button
        type="button"
        className="button quiet small"
        onClick={() => {
          setOpen(true)
        }}
      >
        <Icon name="filter" /> Edit
      </button>
      {conditions.length > 0 ? (
        <button
          type="button"
          className="button quiet small"
          onClick={() => {
            onChange(null)
          }}
        >
          Clear
        </button>
      ) : null}
      {isOpen ? (
        <FilterDialog
          filter={filter}
          onChange={onChange}
          onClose={() => {
            setOpen(false)
          }}
        />
      ) : null}
    </div>
  )
}
