/** Random command sequences that are run against a model and a real system. */
import * as fc from "fast-check"
import { assertHolds, parameters, replay, yieldingProperty } from "../Property.js"
import { type Coverage, CoverageCounter } from "./Coverage.js"

export interface ModelOptions {
  /** The number of command sequences. */
  readonly runs: number
  /** The greatest length of a sequence. */
  readonly maxCommands: number
}

/** A model that counts which kinds of events its commands caused. */
export interface CoveredModel<Kind extends string> {
  coverage: CoverageCounter<Kind>
}

/** A command that can run in any state of the model; `run` throws where the real system differs. */
export const asyncCommand = <Model extends object, Real>(
  name: string,
  run: (model: Model, real: Real) => Promise<void>
): fc.AsyncCommand<Model, Real> => ({ check: () => true, run, toString: () => name })

export interface CommandSequences<Kind extends string, Model extends CoveredModel<Kind>, Real extends object> {
  readonly name: string
  readonly kinds: ReadonlyArray<Kind>
  /** The model of a fresh fixture. */
  readonly model: (coverage: CoverageCounter<Kind>) => Model
  /** Every sequence has a fixture of its own. */
  readonly fixture: () => Promise<Real>
  /** Run before every sequence; not counted in the coverage. */
  readonly setUpCommands: ReadonlyArray<fc.AsyncCommand<Model, Real>>
  readonly commands: ReadonlyArray<fc.Arbitrary<fc.AsyncCommand<Model, Real>>>
  readonly options: ModelOptions
}

/** Fails when the real system differs from its model after some sequence of commands; returns the coverage of all of them. */
export const checkCommandSequences = async <
  Kind extends string,
  Model extends CoveredModel<Kind>,
  Real extends object
>({
  commands,
  fixture,
  kinds,
  model: makeModel,
  name,
  options,
  setUpCommands
}: CommandSequences<Kind, Model, Real>): Promise<Coverage> => {
  const coverage = new CoverageCounter(kinds)
  const sequences = fc.commands([...commands], { maxCommands: options.maxCommands, size: "max", ...replay() })
  const details = await fc.check(
    yieldingProperty([sequences], async (sequence) => {
      const real = await fixture()
      const model = makeModel(new CoverageCounter(kinds))
      for (const command of setUpCommands) await command.run(model, real)
      model.coverage = coverage
      await fc.asyncModelRun(() => ({ model, real }), sequence)
    }),
    parameters(options.runs)
  )
  assertHolds(name, details, setUpCommands.map(String))
  return coverage.result
}

/** A value in one of `runs` cases, undefined in the others. */
export const rarely = <A>(runs: number, of: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: runs - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of })

/** The element at an index modulo the number of elements, or undefined where there are none. */
export const elementAt = <A>(all: Iterable<A>, index: number): A | undefined => {
  const list = [...all]
  return list[index % Math.max(1, list.length)]
}
