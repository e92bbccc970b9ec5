import { type FieldErrors, NON_FIELD, underPath } from "./FieldErrors.js"

/** Collects field errors in one pass; merging them pairwise is too slow for large documents. */
export interface FieldErrorCollector {
  readonly add: (path: string, ...messages: ReadonlyArray<string>) => void
  /** Adds errors that were found below a path. */
  readonly addUnder: (path: string, errors: FieldErrors) => void
  /** Everything added, in order; the same message under the same path once. */
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
    addUnder: (path, errors) => {
      for (const [key, messages] of Object.entries(path === "" ? errors : underPath(path, errors)))
        add(key, ...messages)
    },
    errors: () => Object.fromEntries(found)
  }
}
