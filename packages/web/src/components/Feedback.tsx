/** What a page shows instead of data: errors, nothing, and that it is loading. */
import { type ReactNode, useSyncExternalStore } from "react"
import { EarshotError, sessionEnd } from "../api/client.js"

/** An error in words for its reader. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof EarshotError)) return "The server cannot be reached. Check that it is running, then try again."
  if (error.status === 401) return "Your session has ended. Sign in again."
  if (error.status === 404) return "This does not exist, or you may not see it."
  if (error.status === 503) return "The server is busy. Try again in a moment."
  const fields = Object.entries(error.errors).map(([field, messages]) => `${field}: ${messages.join(" ")}`)
  return error.detail ?? (fields.length > 0 ? fields.join(" ") : `The server answered with status ${error.status}.`)
}

/** An error. That a session has ended is shown until there is a session again. */
export const ErrorNotice = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) => {
  const isExpired = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isExpired)
  if (error instanceof EarshotError && error.status === 401 && !isExpired) return null
  return (
    <div className="notice bad" role="alert">
      <div className="plain">{messageOf(error)}</div>
      {onRetry === undefined ? null : (
        <div>
          <button type="button" className="button small" onClick={onRetry}>
            Try again
          </button>
        </div>
      )}
    </div>
  )
}

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <strong>{title}</strong>
    {children}
  </div>
)

export const Loading = ({ rows = 6 }: { readonly rows?: number }) => (
  <div className="stack" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => (
      <div key={index} className="skeleton" style={{ height: 18, width: `${92 - ((index * 17) % 40)}%` }} />
    ))}
  </div>
)

/** A read that is loading, has failed, or has its data. */
export const Loaded = <A,>({
  of,
  rows,
  children
}: {
  readonly of: {
    readonly data: A | undefined
    readonly error: unknown
    readonly refetch: () => unknown
  }
  readonly rows?: number
  readonly children: (data: A) => ReactNode
}) => {
  if (of.data !== undefined) return children(of.data)
  if (of.error !== null && of.error !== undefined)
    return <ErrorNotice error={of.error} onRetry={() => void of.refetch()} />
  return <Loading rows={rows} />
}
