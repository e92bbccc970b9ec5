/** Statements in ClickHouse's dialect, whose values are bound. */

/** A value of a statement. */
export type Parameter = number | string | ReadonlyArray<number | string>

export interface Statement {
  readonly text: string
  readonly parameters: Readonly<Record<string, Parameter>>
}

/** The types of parameters that are used. */
type ParameterType = "Int64" | "Float64" | "String" | "Array(Int64)" | "Array(Float64)" | "Array(String)"

/**
 * Collects the values of one statement. Every value becomes a parameter, whose place in the text this returns; nothing else
 * is put into a statement but names and numbers that this program makes.
 */
export class Parameters {
  private readonly values = new Map<string, { readonly place: string; readonly value: Parameter }>()

  private bind(type: ParameterType, value: Parameter): string {
    const key = JSON.stringify([type, value])
    const known = this.values.get(key)
    if (known !== undefined) return known.place
    const place = `{p${this.values.size}:${type}}`
    this.values.set(key, { place, value })
    return place
  }

  /** An integer within 2^53. */
  integer = (value: number): string => this.bind("Int64", value)
  number = (value: number): string => this.bind("Float64", value)
  text = (value: string): string => this.bind("String", value)
  integers = (values: ReadonlyArray<number>): string => this.bind("Array(Int64)", values)
  numbers = (values: ReadonlyArray<number>): string => this.bind("Array(Float64)", values)
  texts = (values: ReadonlyArray<string>): string => this.bind("Array(String)", values)

  /** Adds the values to a text in which `bind` has placed them. */
  statement(text: string): Statement {
    const parameters = [...this.values.values()].map(({ value }, index) => [`p${index}`, value] as const)
    return { text, parameters: Object.fromEntries(parameters) }
  }
}

/** A statement without values. */
export const plain = (text: string): Statement => ({ text, parameters: {} })
