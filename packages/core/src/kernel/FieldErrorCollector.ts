import { type FieldErrors, NON_FIELD, underPath } from "./FieldErrors.js"

/** Gathers faults as a rule walks a document, for documents so large that merging them pairwise would tell. */
export interface FieldErrorCollector {
  readonly add: (path: string, ...messages: ReadonlyArray<string>) => void
  /** Adds what another rule found below a path. */
  readonly addUnder: (path: string, faults: FieldErrors) => void
  /** All that was added, in its order; the same sentence under the same path once. */
  readonly errors: () => FieldErrors
}

export const fieldErrorCollector = (): FieldErrorCollector => {
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
    errors: () => Object.fromEntries(found)
  }
}
