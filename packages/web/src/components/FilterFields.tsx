/** The parts of a filter that are edited: a condition, a group, and the whole of it as JSON. */
import { useId, useState } from "react"
import {
  type Condition,
  FIELDS,
  fieldName,
  type Group,
  GROUP_NAMES,
  GROUPS,
  isGroup,
  type Leaf,
  OPERATOR_NAMES,
  type Operator,
  operatorsOf,
  readValue,
  typedValue,
  typeOf
} from "../rules/filter.js"
import { Icon } from "./Icon.js"

const TIMES = ["now-1h", "now-24h", "today", "today-7d", "today-29d", "today-3M"]
const STATUSES = ["success", "failure", "reviewed_success", "reviewed_failure"]

export const NEW_LEAF: Leaf = { field: "success", op: "eq", value: false }

/** In a `same_row` conditions are of evaluations. */
const NEW_ROW_LEAF: Leaf = { field: "metric_evaluations.metric.name", op: "eq", value: "" }

const ValueInput = ({ leaf, onChange }: { readonly leaf: Leaf; readonly onChange: (leaf: Leaf) => void }) => {
  const id = useId()
  // What is typed stays as it is while it is edited: "1." and "a," are no values yet.
  const [typed, setTyped] = useState<string>()
  const { field, op, value } = leaf
  const type = typeOf(field)
  if (op === "isnull" || (type === "boolean" && op !== "in")) {
    return (
      <select
        className="input"
        aria-label="Value"
        value={String(value !== false)}
        onChange={(event) => {
          onChange({ ...leaf, value: event.target.value === "true" })
        }}
      >
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    )
  }
  const suggestions = type === "time" ? TIMES : type === "status" ? STATUSES : []
  return (
    <>
      <input
        className="input"
        aria-label="Value"
        value={typed ?? typedValue(value, field)}
        list={suggestions.length > 0 ? id : undefined}
        placeholder={op === "in" ? "a, b, c" : type === "time" ? "today-7d or 2026-03-31" : ""}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange({ ...leaf, value: readValue(event.target.value, field, op) })
        }}
        onBlur={() => {
          setTyped(undefined)
        }}
      />
      {suggestions.length > 0 ? (
        <datalist id={id}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      ) : null}
    </>
  )
}

export const LeafEditor = ({ leaf, onChange }: { readonly leaf: Leaf; readonly onChange: (leaf: Leaf) => void }) => {
  const id = useId()
  const isCustom = FIELDS[leaf.field] === undefined
  const setField = (field: string) => {
    const op = operatorsOf(field).includes(leaf.op) ? leaf.op : "eq"
    const sameType = typeOf(field) === typeOf(leaf.field)
    onChange({ field, op, value: sameType ? leaf.value : op === "isnull" || typeOf(field) === "boolean" ? true : "" })
  }
  return (
    <div className="leaf">
      <select
        className="input"
        aria-label="Field"
        value={isCustom ? "" : leaf.field}
        onChange={(event) => {
          setField(event.target.value === "" ? "metadata." : event.target.value)
        }}
      >
        {Object.keys(FIELDS).map((field) => (
          <option key={field} value={field}>
            {fieldName(field)}
          </option>
        ))}
        <option value="">metadata or variable…</option>
      </select>
      {isCustom ? (
        <input
          className="input mono"
          aria-label="Path"
          id={id}
          value={leaf.field}
          placeholder="metadata.region"
          onChange={(event) => {
            onChange({ ...leaf, field: event.target.value })
          }}
        />
      ) : null}
      <select
        className="input"
        aria-label="Operator"
        value={leaf.op}
        onChange={(event) => {
          const op = operatorsOf(leaf.field).find((one): one is Operator => one === event.target.value) ?? "eq"
          onChange({ ...leaf, op, value: readValue(typedValue(leaf.value, leaf.field), leaf.field, op) })
        }}
      >
        {operatorsOf(leaf.field).map((op) => (
          <option key={op} value={op}>
            {OPERATOR_NAMES[op]}
          </option>
        ))}
      </select>
      <ValueInput leaf={leaf} onChange={onChange} />
    </div>
  )
}

const replaceAt = <A,>(list: ReadonlyArray<A>, at: number, value: A): ReadonlyArray<A> =>
  list.map((one, index) => (index === at ? value : one))

/** A group with its conditions, groups in it included. */
export const GroupEditor = ({
  group,
  isOfRow = false,
  onChange,
  onRemove
}: {
  readonly group: Group
  /** Whether a group around it is a `same_row`. */
  readonly isOfRow?: boolean
  readonly onChange: (group: Group) => void
  readonly onRemove?: () => void
}) => {
  const set = (conditions: ReadonlyArray<Condition>) => {
    onChange({ ...group, conditions })
  }
  const ofRow = isOfRow || group.operator === "same_row"
  const added = ofRow ? NEW_ROW_LEAF : NEW_LEAF
  return (
    <fieldset className="group">
      <div className="row">
        <select
          className="input group-operator"
          aria-label="Group operator"
          value={group.operator}
          onChange={(event) => {
            const operator = GROUPS.find((one) => one === event.target.value) ?? "and"
            // `not` takes one condition: several become one `and` in it.
            const several = operator === "not" && group.conditions.length > 1
            onChange({
              operator,
              conditions: several ? [{ operator: "and", conditions: group.conditions }] : group.conditions
            })
          }}
        >
          {GROUPS.map((operator) => (
            <option key={operator} value={operator}>
              {GROUP_NAMES[operator]}
            </option>
          ))}
        </select>
        <span className="grow" />
        {onRemove === undefined ? null : (
          <button type="button" className="button quiet icon small" aria-label="Remove group" onClick={onRemove}>
            <Icon name="trash" />
          </button>
        )}
      </div>
      {group.conditions.map((condition, index) => (
        <div key={index} className="condition">
          {isGroup(condition) ? (
            <GroupEditor
              group={condition}
              isOfRow={ofRow}
              onChange={(changed) => {
                set(replaceAt(group.conditions, index, changed))
              }}
              onRemove={() => {
                set(group.conditions.filter((_, at) => at !== index))
              }}
            />
          ) : (
            <div className="row">
              <LeafEditor
                leaf={condition}
                onChange={(changed) => {
                  set(replaceAt(group.conditions, index, changed))
                }}
              />
              <button
                type="button"
                className="button quiet icon small"
                aria-label="Remove condition"
                onClick={() => {
                  set(group.conditions.filter((_, at) => at !== index))
                }}
              >
                <Icon name="close" />
              </button>
            </div>
          )}
        </div>
      ))}
      {group.operator === "not" && group.conditions.length > 0 ? null : (
        <div className="row">
          <button
            type="button"
            className="button quiet small"
            onClick={() => {
              set([...group.conditions, added])
            }}
          >
            <Icon name="plus" /> Condition
          </button>
          <button
            type="button"
            className="button quiet small"
            onClick={() => {
              set([...group.conditions, { operator: "or", conditions: [added] }])
            }}
          >
            <Icon name="plus" /> Group
          </button>
        </div>
      )}
    </fieldset>
  )
}
