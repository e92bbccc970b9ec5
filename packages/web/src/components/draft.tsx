/** Forms whose text is kept in this tab until it is saved, and offered when the form is opened again. */
import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef, useState } from "react"
import { sessionQuery } from "../api/session.js"
import { readDraft } from "../rules/draft.js"

const PREFIX = "earshot.draft."
const DELAY_MILLIS = 250

/** Nothing more is stored while the page is left. */
let isOver = false

/** Removes what forms have kept, when the person signs out and leaves the page. */
export const removeDrafts = (): void => {
  isOver = true
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  }
}

const write = (key: string, text: string | undefined): void => {
  if (isOver) return
  try {
    if (text === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  } catch {
    // The storage of a tab is full or turned off: the form works without it.
  }
}

export interface Draft<A> {
  readonly value: A
  readonly set: (change: (current: A) => A) => void
  /** What was typed before; undefined if there is nothing to offer. */
  readonly offered: A | undefined
  readonly restore: () => void
  readonly discard: () => void
  /** What was typed is saved. */
  readonly done: () => void
}

const withoutChange = <A,>(value: A): A => value

/**
 * The value of a form, with a draft in this tab's storage by `name` and organization. `kept` leaves out what must not be
 * stored, such as secrets.
 */
export const useDraft = <A,>(name: string, initial: A, kept: (value: A) => A = withoutChange): Draft<A> => {
  const organization = useQueryClient().getQueryData(sessionQuery.queryKey)?.organization
  const key = `${PREFIX}${organization ?? 0}.${name}`
  const [start] = useState(initial)
  const [value, setValue] = useState(initial)
  const [offered, setOffered] = useState(() => readDraft(sessionStorage.getItem(key), kept(initial)))
  /** What has to be stored: undefined for nothing, null for the removal of the draft. */
  const pending = useRef<A | null>(undefined)

  const flush = useCallback(() => {
    const { current } = pending
    pending.current = undefined
    if (current === undefined) return
    const text = current === null ? undefined : JSON.stringify(kept(current))
    write(key, text === JSON.stringify(kept(start)) ? undefined : text)
  }, [kept, key, start])

  useEffect(() => {
    if (pending.current === undefined) return
    const timer = setTimeout(flush, DELAY_MILLIS)
    return () => {
      clearTimeout(timer)
    }
  }, [flush, value])
  useEffect(() => {
    addEventListener("pagehide", flush)
    return () => {
      removeEventListener("pagehide", flush)
      flush()
    }
  }, [flush])

  const remove = useCallback(() => {
    pending.current = null
    setOffered(undefined)
    flush()
  }, [flush])
  return {
    value,
    set: useCallback((change) => {
      setValue((current) => {
        const next = change(current)
        pending.current = next
        return next
      })
    }, []),
    offered,
    restore: () => {
      if (offered === undefined) return
      setValue(offered)
      setOffered(undefined)
    },
    discard: remove,
    done: remove
  }
}

/** Offers what was typed in a form before. */
export const DraftOffer = <A,>({ draft }: { readonly draft: Draft<A> }) =>
  draft.offered === undefined ? null : (
    <div className="notice" role="status">
      <div>What you typed here before was not saved.</div>
      <div className="row">
        <button type="button" className="button small" onClick={draft.restore}>
          Restore it
        </button>
        <button type="button" className="button quiet small" onClick={draft.discard}>
          Discard it
        </button>
      </div>
    </div>
  )
