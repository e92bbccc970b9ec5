/** The conditions and actions of an evaluator, each with its errors. */
import { type Actions, added, changed, type Item, raised, removed } from "../rules/actions.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { Field, Select, TextArea } from "./Form.js"
import { Icon } from "./Icon.js"

interface Editing {
  readonly actions: Actions
  readonly error: unknown
  readonly onChange: (actions: Actions) => void
}

const KINDS = [
  ["description", "The agent does something"],
  ["item", "Another item happened"]
] as const

const TYPES: ReadonlyArray<readonly [Item["type"], string]> = [
  ["standard", "Standard"],
  ["action_followup", "Follow-up of an action"]
]

const Condition = ({ actions, at, error, onChange }: Editing & { readonly at: number }) => {
  const condition = actions.items[at]?.condition ?? ""
  const message = fieldMessages(error, `conditional_actions.conditions[${at}].condition`)
  const set = (next: string | number) => {
    onChange(changed(actions, at, { condition: next }))
  }
  if (at === 0) {
    return (
      <p className="muted">
        The call begins. {message === undefined ? null : <span className="field-error plain">{message}</span>}
      </p>
    )
  }
  return (
    <>
      <Select
        name="When"
        value={typeof condition === "number" ? "item" : "description"}
        options={KINDS}
        onChange={(kind) => {
          set(kind === "item" ? 0 : "")
        }}
      />
      {typeof condition === "number" ? (
        <Select
          name="Item"
          value={condition}
          options={actions.items.flatMap((_, id) => (id === at ? [] : [[id, `Item ${id}`] as const]))}
          error={message}
          onChange={(id) => {
            set(id ?? 0)
          }}
        />
      ) : (
        <TextArea
          name="What the agent does"
          hint="In the third person, such as: The agent asks for a date."
          rows={2}
          value={condition}
          error={message}
          onChange={set}
        />
      )}
    </>
  )
}

const ItemEditor = ({ at, ...editing }: Editing & { readonly at: number }) => {
  const { actions, error, onChange } = editing
  const one = actions.items[at]
  if (one === undefined) return null
  const message = (field: string) => fieldMessages(error, `conditional_actions.conditions[${at}].${field}`)
  const set = (change: Partial<Item>) => {
    onChange(changed(actions, at, change))
  }
  return (
    <li className="item" aria-label={`Item ${at}`}>
      <header>
        <h3>Item {at}</h3>
        {at === 0 ? null : (
          <div className="row">
            <button
              type="button"
              className="button quiet icon small"
              aria-label={`Move item ${at} up`}
              disabled={at === 1}
              onClick={() => {
                onChange(raised(actions, at))
              }}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              className="button quiet icon small"
              aria-label={`Remove item ${at}`}
              onClick={() => {
                onChange(removed(actions, at))
              }}
            >
              <Icon name="trash" />
            </button>
          </div>
        )}
      </header>
      <div className="form-grid">
        <Condition {...editing} at={at} />
      </div>
      <TextArea
        name="Action of the caller"
        rows={2}
        value={one.action}
        error={message("action")}
        onChange={(action) => {
          set({ action })
        }}
      />
      <div className="form-grid">
        <Select
          name="Type"
          value={one.type}
          options={TYPES}
          error={message("type")}
          onChange={(type) => {
            set({ type: type ?? "standard" })
          }}
        />
        <Field name="Said word for word" error={message("fixed_message")}>
          {({ className: _, ...attributes }) => (
            <span className="check">
              <input
                {...attributes}
                type="checkbox"
                checked={one.fixed_message}
                onChange={(event) => {
                  set({ fixed_message: event.target.checked })
                }}
              />
            </span>
          )}
        </Field>
      </div>
    </li>
  )
}

export const ActionsEditor = (editing: Editing) => {
  const { actions, error, onChange } = editing
  return (
    <>
      <TextArea
        name="Who the caller is"
        rows={2}
        value={actions.role}
        error={fieldMessages(error, "conditional_actions.role")}
        onChange={(role) => {
          onChange({ ...actions, role })
        }}
      />
      <p className="muted">
        An action may hold <code className="mono">{'<silence time="2" />'}</code>,{" "}
        <code className="mono">{'<hold time="5" />'}</code>, <code className="mono">[laughter]</code> and{" "}
        <code className="mono">{"<endcall />"}</code>.
      </p>
      <ol className="items" aria-label="Conditions and actions">
        {actions.items.map((_, at) => (
          <ItemEditor key={at} {...editing} at={at} />
        ))}
      </ol>
      <div>
        <button
          type="button"
          className="button"
          onClick={() => {
            onChange(added(actions))
          }}
        >
          <Icon name="plus" /> Item
        </button>
      </div>
    </>
  )
}
