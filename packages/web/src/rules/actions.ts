/** Conditional actions as their editor changes them: the id of an item is its position. */

export interface Item {
  /** `FIRST_MESSAGE`, what the agent does, or the position of another item. */
  readonly condition: string | number
  readonly action: string
  readonly type: "standard" | "action_followup"
  readonly fixed_message: boolean
}

export interface Actions {
  readonly role: string
  readonly items: ReadonlyArray<Item>
}

const item = (condition: string): Item => ({ condition, action: "", type: "standard", fixed_message: false })

/** A conversation that begins with a message that is not written yet. */
export const NEW_ACTIONS: Actions = { role: "", items: [item("FIRST_MESSAGE")] }

export const ofWire = ({
  conditions,
  role
}: {
  readonly role: string
  readonly conditions: ReadonlyArray<Item>
}): Actions => ({
  role,
  items: conditions.map(({ action, condition, fixed_message, type }) => ({ condition, action, type, fixed_message }))
})

export const toWire = ({ items, role }: Actions) => ({
  role,
  conditions: items.map((one, id) => ({ id, ...one }))
})

export const added = (actions: Actions): Actions => ({ ...actions, items: [...actions.items, item("")] })

export const changed = (actions: Actions, at: number, change: Partial<Item>): Actions => ({
  ...actions,
  items: actions.items.map((one, position) => (position === at ? { ...one, ...change } : one))
})

/** The items in another order, given by their positions before. A reference to an item that is left out becomes blank. */
const ordered = ({ items, role }: Actions, order: ReadonlyArray<number>): Actions => ({
  role,
  items: order.flatMap((before) => {
    const one = items[before]
    if (one === undefined) return []
    const { condition } = one
    if (typeof condition !== "number") return [one]
    const now = order.indexOf(condition)
    return [{ ...one, condition: now === -1 ? "" : now }]
  })
})

/** Without one item. The first one, which begins the conversation, stays. */
export const removed = (actions: Actions, at: number): Actions =>
  at === 0
    ? actions
    : ordered(
        actions,
        actions.items.map((_, position) => position).filter((position) => position !== at)
      )

/** With an item and the one before it exchanged. The first one stays where it is. */
export const raised = (actions: Actions, at: number): Actions => {
  if (at < 2 || at >= actions.items.length) return actions
  const order = actions.items.map((_, position) => position)
  order.splice(at - 1, 2, at, at - 1)
  return ordered(actions, order)
}
