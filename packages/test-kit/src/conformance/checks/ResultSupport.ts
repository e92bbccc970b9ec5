/** What the checks of results and runs share. */
import { type Fixture, PATHS, type StartedResult } from "../Fixture.js"
import { bodyOf, expectNoBody, expectShape, int, list } from "../Expect.js"
import { at, listAt } from "../../Documents.js"

export const capacityOf = async (fixture: Fixture) => {
  const held = bodyOf(await fixture.get(PATHS.capacity), 200)
  expectShape("the capacity", held, {
    active_sessions: int,
    pending_demand: int,
    slots_in_use: int,
    phone_numbers_held: list
  })
  return {
    active: Number(held.active_sessions),
    pending: Number(held.pending_demand),
    slots: Number(held.slots_in_use),
    numbers: listAt(held, "phone_numbers_held")
  }
}

export type Held = Awaited<ReturnType<typeof capacityOf>>

/** How far the counters are from where they were. */
export const since = async (fixture: Fixture, before: Held) => {
  const now = await capacityOf(fixture)
  return [now.active - before.active, now.pending - before.pending, now.slots - before.slots]
}

export const deleteResults = async (fixture: Fixture, ids: ReadonlyArray<number>): Promise<void> =>
  expectNoBody(await fixture.post(PATHS.bulkDelete, { result_ids: ids }), 204)

export const read = async (fixture: Fixture, { path }: StartedResult) => bodyOf(await fixture.get(path), 200)

/** Takes up what is queued, as a worker does: the leases by run. */
export const claim = async (fixture: Fixture, { runs }: StartedResult): Promise<ReadonlyMap<number, string>> => {
  const claimed = bodyOf(await fixture.post(`${PATHS.runs}claim/`, { channel: "voice", limit: 100 }), 200)
  const leases = listAt(claimed, "results").map(
    (one) => [Number(at(one, "run", "id")), String(at(one, "lease"))] as const
  )
  return new Map(leases.filter(([run]) => runs.includes(run)))
}

export const report = (fixture: Fixture, run: number, how: "complete" | "fail" | "heartbeat", json: object) =>
  fixture.post(`${PATHS.runs}${run}/${how}/`, json)

/** What is no list of ids, and under what it is a fault. */
export const wrongIds = [undefined, null, "x", 5.5, [], ["x"], [null], [1.5], [-1], [[1]], {}]

export type Headers = Readonly<Record<string, string>>

/** An embedded session and a link with this bound and these permissions. */
export const holders = async (
  fixture: Fixture,
  bound: object,
  permissions: ReadonlyArray<string>
): Promise<Array<Headers>> => {
  const granted = { bounds: [bound], permissions }
  const session = bodyOf(await fixture.post(PATHS.tokens, { kind: "embedded_session", ...granted }), 201)
  const link = await fixture.make(PATHS.links, { name: "Brief", ...granted })
  return [{ authorization: `Bearer ${String(session.token)}` }, { "x-shareable-link": String(link.token) }]
}
