/** The dialog of a form whose text is kept in this tab until it is saved. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { fieldMessages } from "../rules/fieldErrors.js"
import { type Draft, DraftOffer } from "./draft.js"
import { FormDialog } from "./Form.js"

/** A field of a form: its value, its error and how it changes. */
interface Bound<A> {
  readonly value: A
  readonly error: string | undefined
  readonly onChange: (value: A) => void
}

export interface DraftForm<A> {
  readonly draft: Draft<A>
  readonly form: A
  readonly set: (change: Partial<A>) => void
  /** The properties of a field; `path` is its name in the request, if that is another. */
  readonly bind: <K extends keyof A & string>(key: K, path?: string) => Bound<A[K]>
  /** What is wrong with a field of the request. */
  readonly at: (path: string) => string | undefined
  readonly error: unknown
  readonly isPending: boolean
  readonly submit: () => void
}

/**
 * @param list the key of the queries that what is saved belongs to
 * @param onSaved called when the draft is removed and those queries are read again
 */
export const useDraftForm = <A, Saved>(
  draft: Draft<A>,
  {
    list,
    onSaved,
    save
  }: {
    readonly save: (form: A) => Promise<Saved>
    readonly list: string
    readonly onSaved: (saved: Saved) => void
  }
): DraftForm<A> => {
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: () => save(draft.value),
    onSuccess: async (saved) => {
      draft.done()
      await queries.invalidateQueries({ queryKey: [list] })
      onSaved(saved)
    }
  })
  const { error, isPending } = saving
  const at = (path: string) => fieldMessages(error, path)
  return {
    draft,
    form: draft.value,
    set: (change) => {
      draft.set((current) => ({ ...current, ...change }))
    },
    at,
    bind: (key, path = key) => ({
      value: draft.value[key],
      error: at(path),
      onChange: (value) => {
        draft.set((current) => ({ ...current, [key]: value }))
      }
    }),
    error,
    isPending,
    submit: () => {
      saving.mutate()
    }
  }
}

export const DraftDialog = <A,>({
  children,
  fields,
  isComplete,
  of,
  onClose,
  submit,
  title
}: {
  readonly of: DraftForm<A>
  readonly title: string
  readonly submit: string
  /** The fields of the request that the form shows errors at. */
  readonly fields: ReadonlyArray<string>
  readonly isComplete?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) => (
  <FormDialog
    title={title}
    submit={submit}
    error={of.error}
    fields={fields}
    isPending={of.isPending}
    isComplete={isComplete}
    isNarrow={false}
    onSubmit={of.submit}
    onClose={onClose}
  >
    <DraftOffer draft={of.draft} />
    {children}
  </FormDialog>
)
