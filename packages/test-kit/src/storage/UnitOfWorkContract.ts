import { OrganizationStore, ProjectStore, UnitOfWork } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { permit } from "../catalog/Permits.js"

const now = DateTime.unsafeMake(0)

const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, now)
  const projects = yield* ProjectStore
  return {
    insert: (name: string) => projects.insert(permit(id, "projects.create"), { name, description: "" }, now),
    names: Effect.map(projects.list(permit(id, "projects.list"), { cursor: { at: "start" }, limit: 50 }), ({ rows }) =>
      rows.map(({ name }) => name).sort()
    )
  }
})

/** What every `UnitOfWork` has to do, seen through two stores that take part in it. */
export const unitOfWorkContract = <E>(
  subject: string,
  storage: Layer.Layer<UnitOfWork | ProjectStore | OrganizationStore, E>
): void => {
  layer(storage)(`a unit of work on ${subject}`, (it) => {
    it.effect("commits all steps when they succeed", () =>
      Effect.gen(function* () {
        const { insert, names } = yield* newOrganization
        const { atomically } = yield* UnitOfWork
        yield* atomically(Effect.zipRight(insert("one"), insert("two")))
        expect(yield* names).toEqual(["one", "two"])
      })
    )

    it.effect("rolls back when a step fails, and fails with its error", () =>
      Effect.gen(function* () {
        const { insert, names } = yield* newOrganization
        const { atomically } = yield* UnitOfWork
        const failed = yield* Effect.flip(
          atomically(Effect.zipRight(Effect.zipRight(insert("one"), insert("two")), Effect.fail("enough" as const)))
        )
        expect(failed).toBe("enough")
        expect(yield* names).toEqual([])
      })
    )

    it.effect("rolls back when a step dies", () =>
      Effect.gen(function* () {
        const { insert, names } = yield* newOrganization
        const { atomically } = yield* UnitOfWork
        const exit = yield* Effect.exit(atomically(Effect.zipRight(insert("one"), Effect.die("a defect"))))
        expect(Exit.isFailure(exit)).toBe(true)
        expect(yield* names).toEqual([])
      })
    )

    it.effect("rolls back when its caller is interrupted", () =>
      Effect.gen(function* () {
        const { insert, names } = yield* newOrganization
        const { atomically } = yield* UnitOfWork
        const written = yield* Deferred.make<true>()
        const fiber = yield* Effect.fork(
          atomically(
            insert("one").pipe(Effect.zipRight(Deferred.succeed(written, true)), Effect.zipRight(Effect.never))
          )
        )
        yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
        expect(yield* names).toEqual([])
      })
    )

    it.effect("joins the unit of work around it", () =>
      Effect.gen(function* () {
        const { insert, names } = yield* newOrganization
        const { atomically } = yield* UnitOfWork
        const inner = atomically(insert("inner"))
        yield* Effect.exit(atomically(Effect.zipRight(inner, Effect.fail("enough" as const))))
        expect(yield* names).toEqual([])
        yield* atomically(Effect.zipRight(insert("outer"), inner))
        expect(yield* names).toEqual(["inner", "outer"])
      })
    )

    it.effect("does not see uncommitted steps of another", () =>
      Effect.gen(function* () {
        const { insert, names } = yield* newOrganization
        const { atomically } = yield* UnitOfWork
        const pairs = Array.from({ length: 10 }, (_, n) => `pair ${n}`)
        yield* Effect.forEach(
          pairs,
          (name) =>
            atomically(
              Effect.gen(function* () {
                yield* insert(name)
                yield* Effect.yieldNow()
                yield* insert(name)
                expect((yield* names).length % 2).toBe(0)
              })
            ),
          { concurrency: "unbounded" }
        )
        expect((yield* names).length).toBe(20)
      })
    )
  })
}
