import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { decode, type Faults, mergeFaults } from "./Faults.js"
import { object } from "./Fields.js"

/** The fields of an input that are well formed, and the faults of the others. */
export interface ReadApart<Values> {
  readonly values: Partial<Values>
  readonly faults: Faults
}

/**
 * A reader of an object's fields one by one, for inputs that are judged against what storage knows as well: what is well
 * formed can be looked up although something beside it is not, and all faults are told together.
 */
export const readApart = <F extends Record<string, Schema.Schema.All | Schema.PropertySignature.All>>(
  fields: F
): ((input: unknown) => ReadApart<Schema.Struct.Type<F>>) => {
  const readers = Object.entries(fields).map(([name, field]) =>
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- fields need no services to be read
    decode(object({ [name]: field }) as unknown as Schema.Schema<Record<string, unknown>, unknown>)
  )
  return (input) => {
    const read = readers.map((reader) => reader(input))
    return {
      // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- each field was read by its own schema
      values: Object.assign(
        {},
        ...Either.getOrElse(Either.right(read.filter(Either.isRight).map(({ right }) => right)), () => [])
      ) as Partial<Schema.Struct.Type<F>>,
      faults: mergeFaults(...read.filter(Either.isLeft).map(({ left }) => left))
    }
  }
}
