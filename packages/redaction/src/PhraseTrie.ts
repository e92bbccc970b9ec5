import type { Token } from "./Tokens.js"

interface Node<A> {
  readonly next: Map<string, Node<A>>
  value: A | undefined
}

/** Phrases found word by word; the longest wins. Looking one up costs its own length, however many there are. */
export interface PhraseTrie<A> {
  readonly add: (phrase: ReadonlyArray<string>, value: A) => void
  readonly longestAt: (
    tokens: ReadonlyArray<Token>,
    at: number
  ) => { readonly value: A; readonly to: number } | undefined
}

/** "which town's" goes on like "which town". */
const step = <A>({ next }: Node<A>, word: string): Node<A> | undefined =>
  next.size === 0 ? undefined : (next.get(word) ?? (word.endsWith("'s") ? next.get(word.slice(0, -2)) : undefined))

export const phraseTrie = <A>(): PhraseTrie<A> => {
  const root: Node<A> = { next: new Map(), value: undefined }
  return {
    add: (phrase, value) => {
      let node = root
      for (const word of phrase) {
        const known = node.next.get(word)
        const next: Node<A> = known ?? { next: new Map(), value: undefined }
        if (known === undefined) node.next.set(word, next)
        node = next
      }
      node.value = value
    },
    longestAt: (tokens, at) => {
      let node = root.next.get(tokens[at]?.lower ?? "")
      let best: { readonly value: A; readonly to: number } | undefined
      for (let to = at + 1; node !== undefined; to++) {
        if (node.value !== undefined) best = { value: node.value, to }
        node = step(node, tokens[to]?.lower ?? "")
      }
      return best
    }
  }
}
