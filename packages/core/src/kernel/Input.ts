import type * as Schema from "effect/Schema"

declare const UntrustedId: unique symbol

/**
 * Input that no type describes, such as a parsed request body. Use cases accept it wherever they accept a typed input and
 * validate both alike, so an adapter decodes nothing itself.
 */
export interface Untrusted {
  readonly [UntrustedId]: never
}

/** Passes a value of unknown shape to a use case, which validates it. */
// eslint-disable-next-line typescript/consistent-type-assertions -- the type says that nothing is known of the value
export const untrusted = <A>(value: A): A & Untrusted => value as A & Untrusted

/** An optional field may be undefined too, which is the same as leaving it out. */
type Given<Encoded> = {
  readonly [Name in keyof Encoded]: Partial<Pick<Encoded, Name>> extends Pick<Encoded, Name>
    ? Encoded[Name] | undefined
    : Encoded[Name]
}

/**
 * The input of a use case: what the schema that validates it decodes, in the names of the interface (`call_id`). A field
 * that the schema does not have is a type error in an object literal and ignored at run time.
 */
export type Input<S extends Schema.Schema.All> = Given<Schema.Schema.Encoded<S>> | Untrusted
