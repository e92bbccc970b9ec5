import { useState } from "react"

/** A choice that is kept in this browser. What was stored by another version and is invalid counts as not stored. */
export const useStored = <A>(
  key: string,
  initial: A,
  read: (value: unknown) => A | undefined
): readonly [A, (value: A) => void] => {
  const [value, setValue] = useState<A>(() => {
    try {
      return read(JSON.parse(localStorage.getItem(key) ?? "null")) ?? initial
    } catch {
      return initial
    }
  })
  return [
    value,
    (next) => {
      setValue(next)
      localStorage.setItem(key, JSON.stringify(next))
    }
  ]
}
