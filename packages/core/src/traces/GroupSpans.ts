/** Which spans of a request are of one call. Pure. */
import { readSpan } from "./ReadSpan.js"
import type { Span } from "./Span.js"
import { callIdIn, hashKey, traceKey } from "./TraceKeys.js"
import type { TracePart } from "./TracePart.js"

/** The spans of one call in a request. */
export interface SpanGroup {
  /** What other spans of the call have in common with these, hashed. */
  readonly keys: ReadonlyArray<string>
  /** The ids that their call may have. */
  readonly callIds: ReadonlyArray<string>
  readonly parts: ReadonlyArray<TracePart>
  /** Spans of a known kind, with and without a part in the conversation. */
  readonly known: number
  /** The names of spans of unknown kinds in the same traces. */
  readonly unknown: ReadonlyArray<string>
  readonly endsCall: boolean
}

export interface GroupedSpans {
  readonly groups: ReadonlyArray<SpanGroup>
  /** Spans of traces without any span of a known kind. */
  readonly ignored: number
}

interface Gathering {
  readonly keys: Set<string>
  readonly parts: Array<TracePart>
  readonly unknown: Array<string>
  known: number
  endsCall: boolean
}

const newGathering = (): Gathering => ({ keys: new Set(), parts: [], unknown: [], known: 0, endsCall: false })

/** The first key's group of keys that were joined. */
const makeUnion = () => {
  const parents = new Map<string, string>()
  const find = (key: string): string => {
    let root = key
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next
    for (let at = key; at !== root;) {
      const next = parents.get(at) ?? root
      parents.set(at, root)
      at = next
    }
    return root
  }
  return {
    find,
    join: (one: string, other: string) => {
      const [a, b] = [find(one), find(other)]
      parents.set(a, a)
      if (a !== b) parents.set(b, a)
    }
  }
}

export const groupSpans = (spans: ReadonlyArray<Span>): GroupedSpans => {
  const union = makeUnion()
  const ownKey = ({ traceId }: Span): string => traceKey("trace", traceId)
  const read = spans.map((span) => {
    const reading = readSpan(span)
    union.join(ownKey(span), ownKey(span))
    for (const key of reading?.keys ?? []) union.join(ownKey(span), key)
    return { span, reading }
  })
  const gatherings = new Map<string, Gathering>()
  for (const { reading, span } of read) {
    const root = union.find(ownKey(span))
    const gathering = gatherings.get(root) ?? newGathering()
    gatherings.set(root, gathering)
    if (reading === undefined) {
      gathering.unknown.push(span.name)
      continue
    }
    gathering.known += 1
    gathering.keys.add(ownKey(span))
    for (const key of reading.keys) gathering.keys.add(key)
    if (reading.part !== undefined) gathering.parts.push(reading.part)
    if (reading.endsCall || isLoneRoot(span, reading.keys)) gathering.endsCall = true
  }
  const all = [...gatherings.values()]
  return {
    groups: all
      .filter(({ known }) => known > 0)
      .map(({ keys, ...gathering }) => ({
        ...gathering,
        keys: [...keys].map(hashKey),
        callIds: [...new Set([...keys].map(callIdIn))]
      })),
    ignored: all.filter(({ known }) => known === 0).reduce((sum, { unknown }) => sum + unknown.length, 0)
  }
}

/** A root that names no conversation ends its trace, and with it the call. */
const isLoneRoot = ({ parentSpanId }: Span, keys: ReadonlyArray<string>): boolean =>
  parentSpanId === undefined && keys.length === 0
