import {
  AgentStore,
  CheckoutGrantStore,
  type CodeConnectionId,
  CodeConnectionStore,
  type NewCheckoutGrant,
  type OrganizationStore,
  type ProjectStore,
  RepositoryName,
  RevokedTokenStore
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import { everyPage } from "../catalog/Pages.js"
import { organizationWithAgent } from "../catalog/NewAgent.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const newOrganization = Effect.gen(function* () {
  const { agent, id } = yield* organizationWithAgent
  const agents = yield* AgentStore
  const store = yield* CodeConnectionStore
  const grants = yield* CheckoutGrantStore
  const manage = permit(id, "connections.create")
  const toCheckOut = permit(id, "checkouts.create")
  const connect = (sealed: string | null = `sealed ${randomUUID()}`) =>
    store.insert(manage, {
      host: "github",
      name: "Ours 😀 %_'",
      settings: { owner: "us", "a.b": [1.5, null] },
      sealed,
      createdAt: at(5)
    })
  /** An active connection. */
  const active = Effect.tap(connect(), ({ id: connection }) => store.activate(manage, connection, at(6)))
  const grant = (connectionId: CodeConnectionId, given: Partial<NewCheckoutGrant> = {}): NewCheckoutGrant => ({
    connectionId,
    repository: RepositoryName.make("web"),
    agentId: agent.id,
    sessionJti: `session ${randomUUID()}`,
    tokenHash: `hash ${randomUUID()}`,
    sealedHandle: `handle ${randomUUID()}`,
    createdAt: at(10),
    expiresAt: at(100),
    lapsesAt: at(1000),
    ...given
  })
  const keep = (checkout: NewCheckoutGrant) => Effect.as(grants.insert(toCheckOut, checkout), checkout)
  const due = (now: number) => grants.due(at(now), 100, id)
  return { id, agents, agent, store, grants, manage, toCheckOut, connect, active, grant, keep, due }
})

type Stores =
  CodeConnectionStore | CheckoutGrantStore | AgentStore | RevokedTokenStore | ProjectStore | OrganizationStore

/** What every `CodeConnectionStore` has to do, and the `CheckoutGrantStore` beside it. */
export const checkoutStoreContract = <E>(subject: string, stores: Layer.Layer<Stores, E>): void => {
  layer(stores)(`connections stored by ${subject}`, (it) => {
    it.effect("are found as they were inserted, secret included, and listed without it, newest first", () =>
      Effect.gen(function* () {
        const { connect, id, manage, store } = yield* newOrganization
        const made = yield* connect("sealed a")
        expect(made).toMatchObject({
          organizationId: id,
          host: "github",
          name: "Ours 😀 %_'",
          settings: { owner: "us", "a.b": [1.5, null] },
          state: "inactive",
          createdAt: at(5),
          testedAt: null,
          revokedAt: null
        })
        const stored = Option.some({ connection: made, sealed: "sealed a" })
        expect(yield* store.find(manage, made.id)).toEqual(stored)
        expect(yield* store.findForUpdate(manage, made.id)).toEqual(stored)
        const without = yield* connect(null)
        expect(Option.getOrThrow(yield* store.find(manage, without.id)).sealed).toBeNull()
        const pages = yield* everyPage((page) => store.list(manage, page), { limit: 1 })
        expect(pages.flatMap(({ results }) => results)).toEqual([without, made])
        expect(JSON.stringify(pages)).not.toContain("sealed a")
        yield* store.recordTest(manage, made.id, "No access.", at(7))
        expect(Option.getOrThrow(yield* store.find(manage, made.id)).connection).toMatchObject({
          testedAt: at(7),
          testError: "No access."
        })
      })
    )

    it.effect("are active one at a time, and cannot be reactivated once revoked", () =>
      Effect.gen(function* () {
        const { connect, manage, store, toCheckOut } = yield* newOrganization
        const active = Effect.map(
          store.findActive(toCheckOut),
          Option.map(({ connection }) => connection.id)
        )
        const [one, other] = [yield* connect(), yield* connect()]
        expect(yield* active).toEqual(Option.none())
        yield* store.activate(manage, one.id, at(6))
        expect(yield* active).toEqual(Option.some(one.id))
        yield* store.activate(manage, other.id, at(7))
        expect(yield* active).toEqual(Option.some(other.id))
        expect(Option.getOrThrow(yield* store.find(manage, one.id)).connection.state).toBe("inactive")
        yield* store.revoke(manage, other.id, at(8))
        yield* store.revoke(manage, other.id, at(9))
        expect(yield* active).toEqual(Option.none())
        yield* store.activate(manage, other.id, at(10))
        expect(yield* active).toEqual(Option.none())
        expect(Option.getOrThrow(yield* store.find(manage, other.id)).connection).toMatchObject({
          state: "revoked",
          revokedAt: at(8)
        })
      })
    )

    it.effect("cannot be read, used or changed by another organization", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { store } = mine
        const { id } = yield* mine.active
        const before = yield* store.find(mine.manage, id)
        expect(yield* store.find(theirs.manage, id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(theirs.manage, id)).toEqual(Option.none())
        expect(yield* store.findActive(theirs.toCheckOut)).toEqual(Option.none())
        expect(yield* everyPage((page) => store.list(theirs.manage, page), { limit: 5 })).toMatchObject([
          { results: [] }
        ])
        yield* store.recordTest(theirs.manage, id, "Theirs", at(7))
        yield* store.activate(theirs.manage, id, at(7))
        yield* store.revoke(theirs.manage, id, at(7))
        expect(yield* store.find(mine.manage, id)).toEqual(before)
        expect(yield* theirs.grants.insert(theirs.toCheckOut, theirs.grant(id, { agentId: null }))).toBe(false)
      })
    )

    it.effect("have secrets that can be re-encrypted unless they changed since", () =>
      Effect.gen(function* () {
        const { active, grant, id, keep, store } = yield* newOrganization
        const { id: connection } = yield* active
        yield* keep(grant(connection, { sealedHandle: "handle a" }))
        for (const of of ["connection", "grant"] as const) {
          const own = Effect.map(store.sealed(of, 0, 1_000_000), (all) =>
            all.filter(({ organizationId }) => organizationId === id)
          )
          const [secret, ...others] = yield* own
          expect(others).toEqual([])
          if (secret === undefined) return expect.fail(`The secret of the ${of} is not there`)
          expect((yield* store.sealed(of, secret.id, 1_000_000)).filter((one) => one.id === secret.id)).toEqual([])
          yield* store.reseal(secret, "anew")
          yield* store.reseal(secret, "too late")
          expect((yield* own).map(({ sealed }) => sealed)).toEqual(["anew"])
        }
      })
    )
  })

  layer(stores)(`checkouts stored by ${subject}`, (it) => {
    it.effect("grant access to their repository until they expire, by token", () =>
      Effect.gen(function* () {
        const { active, grant, grants, id, toCheckOut } = yield* newOrganization
        const { id: connection } = yield* active
        const made = grant(connection)
        expect(yield* grants.insert(toCheckOut, made)).toBe(true)
        expect(yield* grants.findInForce(made.tokenHash, at(99))).toEqual(
          Option.some({ organizationId: id, host: "github", repository: "web" })
        )
        expect(yield* grants.findInForce(made.tokenHash, at(100))).toEqual(Option.none())
        for (const hash of ["", "%", made.tokenHash.slice(1), `${made.tokenHash} `]) {
          expect(yield* grants.findInForce(hash, at(99))).toEqual(Option.none())
        }
      })
    )

    it.effect("end with their connection, session or agent, and cannot begin if one of these is gone", () =>
      Effect.gen(function* () {
        const tokens = yield* RevokedTokenStore
        type Room = Effect.Effect.Success<typeof newOrganization>
        const ends: Readonly<Record<string, (room: Room, of: NewCheckoutGrant) => Effect.Effect<unknown, unknown>>> = {
          "another connection": ({ connect, manage, store }) =>
            Effect.flatMap(connect(), (other) => store.activate(manage, other.id, at(20))),
          revocation: ({ manage, store }, { connectionId }) => store.revoke(manage, connectionId, at(20)),
          "the session's end": ({ id }, { sessionJti }) =>
            tokens.insert(permit(id, "access.revokeToken"), sessionJti ?? "", at(1000), at(20)),
          "the agent's end": ({ agent, agents, id }) => agents.remove(permit(id, "agents.delete"), agent.id, at(20))
        }
        for (const [name, end] of Object.entries(ends)) {
          const room = yield* newOrganization
          const { id: connection } = yield* room.active
          const made = yield* room.keep(room.grant(connection))
          expect(yield* room.due(50), name).toEqual([])
          yield* end(room, made)
          expect(yield* room.grants.findInForce(made.tokenHash, at(50)), name).toEqual(Option.none())
          expect(yield* room.due(50), name).toMatchObject([{ sealedHandle: made.sealedHandle, attempts: 0 }])
          const late = room.grant(connection, { sessionJti: made.sessionJti })
          expect(yield* room.grants.insert(room.toCheckOut, late), name).toBe(false)
        }
      })
    )

    it.effect("are due for release once ended, and retried until released or expired", () =>
      Effect.gen(function* () {
        const { active, due, grant, grants, keep } = yield* newOrganization
        const { id: connection } = yield* active
        const [first] = [yield* keep(grant(connection)), yield* keep(grant(connection, { sealedHandle: null }))]
        expect(yield* due(99)).toEqual([])
        const [one, ...others] = yield* due(100)
        expect(others).toEqual([])
        if (one === undefined) return expect.fail("Nothing is due")
        expect(one).toMatchObject({ sealedHandle: first.sealedHandle, attempts: 0 })
        expect(one.stored.connection.id).toBe(connection)
        expect(one.stored.sealed).toContain("sealed ")
        yield* grants.failed(one.id, at(200))
        expect(yield* due(199)).toEqual([])
        expect(yield* due(200)).toMatchObject([{ id: one.id, attempts: 1 }])
        expect(yield* due(1000)).toEqual([])
        yield* grants.released(one.id)
        expect(yield* due(300)).toEqual([])
      })
    )

    it.effect("are deleted once unused, with the secrets that only they needed", () =>
      Effect.gen(function* () {
        const { active, due, grant, grants, keep, manage, store } = yield* newOrganization
        const { id: connection } = yield* active
        const made = yield* keep(grant(connection))
        yield* store.revoke(manage, connection, at(20))
        const secret = Effect.map(store.find(manage, connection), (found) => Option.getOrThrow(found).sealed)
        yield* grants.tidy(at(50), at(0))
        // The token has yet to be taken back with it.
        expect(yield* secret).not.toBeNull()
        const [one] = yield* due(50)
        if (one === undefined) return expect.fail("Nothing is due")
        expect(one.sealedHandle).toBe(made.sealedHandle)
        yield* grants.released(one.id)
        yield* grants.tidy(at(50), at(0))
        expect(yield* secret).toBeNull()
        expect(Option.getOrThrow(yield* store.find(manage, connection)).connection.state).toBe("revoked")
        yield* grants.tidy(at(2000), at(1000))
        expect(yield* grants.findInForce(made.tokenHash, at(50))).toEqual(Option.none())
      })
    )
  })
}
