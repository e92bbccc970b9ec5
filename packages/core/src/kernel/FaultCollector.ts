import { type Faults, NON_FIELD, underPath } from "./Faults.js"

/** Gathers faults as a rule walks a document, for documents so large that merging them pairwise would tell. */
export interface FaultCollector {
  readonly add: (path: string, ...messages: ReadonlyArray<string>) => void
  /** Adds what another rule found below a path. */
  readonly addUnder: (path: string, faults: Faults) => void
  /** All that was added, in its order; the same sentence under the same path once. */
  readonly faults: () => Faults
}

export const faultCollector = (): FaultCollector => {
  const found = new Map<string, Array<string>>()
  const add = (path: string, ...messages: ReadonlyArray<string>) => {
    const key = path === "" ? NON_FIELD : path
    const known = found.get(key)
    if (known === undefined) found.set(key, [...new Set(messages)])
    else for (const message of messages) if (!known.includes(message)) known.push(message)
  }
  return {
    add,
    addUnder: (path, faults) => {
      for (const [key, messages] of Object.entries(path === "" ? faults : underPath(path, faults)))
        add(key, ...messages)
    },
    faults: () => Object.fromEntries(found)
  }
}
