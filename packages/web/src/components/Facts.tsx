import type { ReactNode } from "react"

/** Names with their values; those without a value are left out. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <dl className="facts">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="plain">{value}</dd>
        </div>
      ))}
  </dl>
)

/** A few numbers at a glance, with their names. */
export const Stats = ({ of }: { readonly of: ReadonlyArray<readonly [name: string, value: string]> }) => (
  <dl className="stats">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A JSON value, closed at first if it is large. */
export const JsonCard = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  if (value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0))
    return null
  return (
    <details className="card json">
      <summary>{title}</summary>
      <pre className="code" tabIndex={0}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </details>
  )
}
