import type { components } from "@earshot/client"

type ReadonlyDeep<A> =
  A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<ReadonlyDeep<Item>>
    : A extends object
      ? { readonly [Key in keyof A]: ReadonlyDeep<A[Key]> }
      : A

/** The JSON of the API, by the name of its schema. */
export type Wire<Name extends keyof components["schemas"]> = ReadonlyDeep<components["schemas"][Name]>

/** An instant of the API as minutes, in UTC. */
export const printMinute = (instant: string): string => instant.slice(0, 16).replace("T", " ")
