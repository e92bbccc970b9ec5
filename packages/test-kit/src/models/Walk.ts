/** Random walks through a model, and what happened on them. */
import * as fc from "fast-check"
import { assertHolds, asyncProperty, parameters, replay } from "../Law.js"

/** How often each kind of thing that a model is about happened on its walks; 0 where it never did. */
export type Happened = ReadonlyMap<string, number>

/** Counts what happens, by kinds that are known beforehand, so that what never happens is seen too. */
export class Tally<Kind extends string> {
  private readonly counts: Map<Kind, number>
  constructor(kinds: ReadonlyArray<Kind>) {
    this.counts = new Map(kinds.map((kind) => [kind, 0]))
  }
  count(...kinds: ReadonlyArray<Kind>): void {
    for (const kind of kinds) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }
  get happened(): Happened {
    return this.counts
  }
}

/**
 * Fails when a kind of thing never happened on the walks of a model, which then say nothing of it. It is for a whole
 * run from the usual seed: where the environment asks for another one, or for a replay, it holds of anything.
 */
export const assertHappened = (
  happened: Happened,
  environment: Readonly<Record<string, string | undefined>> = process.env
): void => {
  const { EARSHOT_KIT_PATH, EARSHOT_KIT_REPLAY, EARSHOT_KIT_RUNS, EARSHOT_KIT_SEED } = environment
  if ([EARSHOT_KIT_PATH, EARSHOT_KIT_REPLAY, EARSHOT_KIT_RUNS, EARSHOT_KIT_SEED].some((one) => one !== undefined))
    return
  const never = [...happened].flatMap(([kind, times]) => (times === 0 ? [kind] : []))
  if (never.length > 0) {
    throw new Error(
      `The walks of this model never met: ${never.join("; ")}. What they generate has to lead there, or they say nothing of it.`
    )
  }
}

/** A model that counts what happens to it. */
export interface Counting<Kind extends string> {
  tally: Tally<Kind>
}

export interface Walks<Kind extends string, Model extends Counting<Kind>, Real extends object> {
  readonly says: string
  readonly kinds: ReadonlyArray<Kind>
  /** A model of a world in which nothing has happened. */
  readonly model: (tally: Tally<Kind>) => Model
  /** Every walk begins in a world of its own. */
  readonly world: () => Promise<Real>
  /** What every walk begins with, so that there is something for what comes after it; it is not counted. */
  readonly beginning: ReadonlyArray<fc.AsyncCommand<Model, Real>>
  readonly commands: ReadonlyArray<fc.Arbitrary<fc.AsyncCommand<Model, Real>>>
  readonly options: { readonly walks: number; readonly steps: number }
}

/** Fails when a world differs from the model on some walk; answers what happened on all of them. */
export const walk = async <Kind extends string, Model extends Counting<Kind>, Real extends object>({
  beginning,
  commands,
  kinds,
  model: modelWith,
  options,
  says,
  world
}: Walks<Kind, Model, Real>): Promise<Happened> => {
  const tally = new Tally(kinds)
  const walks = fc.commands([...commands], { maxCommands: options.steps, size: "max", ...replay() })
  const details = await fc.check(
    asyncProperty([walks], async (walked) => {
      const real = await world()
      const model = modelWith(new Tally(kinds))
      for (const step of beginning) await step.run(model, real)
      model.tally = tally
      await fc.asyncModelRun(() => ({ model, real }), walked)
    }),
    parameters(options.walks)
  )
  assertHolds(says, details)
  return tally.happened
}

/** One of some things in so many tries, nothing in the others. */
export const seldom = <A>(tries: number, of: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: tries - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of })

/** What is at a position of what is there by then, or undefined where nothing is. */
export const picked = <A>(all: Iterable<A>, which: number): A | undefined => {
  const list = [...all]
  return list[which % Math.max(1, list.length)]
}
