import {
  OrganizationStore,
  type Pages,
  type Permit,
  Personality,
  PersonalityStore,
  PhoneNumber,
  PhoneNumberStore,
  type ProjectId,
  ProjectStore,
  type StorageError,
  TestProfile,
  TestProfileStore,
  Tool,
  ToolStore,
  type VoiceBehavior
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { at } from "../storage/Moments.js"
import { everyPage } from "./Pages.js"
import { permit } from "./Permits.js"

/** An organization with two projects. */
const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const projects = yield* ProjectStore
  const toWrite = permit(id, "tools.create")
  return {
    id,
    project: yield* projects.insert(toWrite, { name: "One", description: "" }, at(0)),
    other: yield* projects.insert(toWrite, { name: "Two", description: "" }, at(0)),
    toWrite,
    toRead: permit(id, "tools.read"),
    toDelete: permit(id, "tools.delete")
  }
})

/** A kind of resource of a project; their stores have the same contract. */
interface Kind<Id extends number, A extends { readonly id: Id }, R> {
  readonly noun: string
  readonly store: Effect.Effect<
    {
      readonly find: (permit: Permit, id: Id) => Effect.Effect<Option.Option<A>, StorageError>
      readonly findForUpdate: (permit: Permit, id: Id) => Effect.Effect<Option.Option<A>, StorageError>
      readonly remove: (
        permit: Permit<"catalog:delete">,
        id: Id,
        now: DateTime.Utc
      ) => Effect.Effect<void, StorageError>
      readonly save: (permit: Permit<"catalog:write">, one: A) => Effect.Effect<void, unknown>
    },
    never,
    R
  >
  /** Inserts a new one; the numbers are distinct. */
  readonly insert: (permit: Permit<"catalog:write">, project: ProjectId, number: number) => Effect.Effect<A, unknown, R>
  readonly list: (
    permit: Permit<"catalog:read">,
    project: ProjectId | null,
    page: Pages.PageRequest
  ) => Effect.Effect<Pages.Found<A>, StorageError, R>
  readonly changed: (one: A) => A
}

/** Text that breaks careless statements and encodings. */
const hostile = `a'; drop table tools; -- %_ "\\ \u{1F514} \u202E`

const contract = <Id extends number, A extends { readonly id: Id }, R, E>(
  subject: string,
  stores: Layer.Layer<R | ProjectStore | OrganizationStore, E>,
  kind: Kind<Id, A, R>
): void => {
  layer(stores)(`${kind.noun} kept by ${subject}`, (it) => {
    it.effect("are found as inserted and as last saved", () =>
      Effect.gen(function* () {
        const store = yield* kind.store
        const { project, toRead, toWrite } = yield* newOrganization
        const made = yield* kind.insert(toWrite, project.id, 1)
        const sibling = yield* kind.insert(toWrite, project.id, 2)
        expect(yield* store.find(toRead, made.id)).toEqual(Option.some(made))
        const changed = kind.changed(made)
        yield* store.save(toWrite, changed)
        expect(yield* store.find(toRead, made.id)).toEqual(Option.some(changed))
        expect(yield* store.findForUpdate(toRead, made.id)).toEqual(Option.some(changed))
        expect(yield* store.find(toRead, sibling.id)).toEqual(Option.some(sibling))
      })
    )

    it.effect("do not exist for another organization to read, change or delete", () =>
      Effect.gen(function* () {
        const store = yield* kind.store
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const made = yield* kind.insert(mine.toWrite, mine.project.id, 1)
        expect(yield* store.find(theirs.toRead, made.id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(theirs.toRead, made.id)).toEqual(Option.none())
        expect((yield* kind.list(theirs.toRead, mine.project.id, { cursor: { at: "start" }, limit: 10 })).rows).toEqual(
          []
        )
        yield* store.save(theirs.toWrite, kind.changed(made))
        yield* store.remove(theirs.toDelete, made.id, at(2))
        expect(yield* store.find(mine.toRead, made.id)).toEqual(Option.some(made))
      })
    )

    it.effect("are not found once they or their project are deleted", () =>
      Effect.gen(function* () {
        const store = yield* kind.store
        const { other, project, toDelete, toRead, toWrite } = yield* newOrganization
        const made = yield* kind.insert(toWrite, project.id, 1)
        const elsewhere = yield* kind.insert(toWrite, other.id, 2)
        yield* store.remove(toDelete, made.id, at(2))
        yield* (yield* ProjectStore).remove(toDelete, other.id, at(2))
        for (const id of [made.id, elsewhere.id]) {
          expect(yield* store.find(toRead, id)).toEqual(Option.none())
          expect(yield* store.findForUpdate(toRead, id)).toEqual(Option.none())
        }
        expect((yield* kind.list(toRead, null, { cursor: { at: "start" }, limit: 10 })).rows).toEqual([])
      })
    )

    it.effect("are listed for one project or all, newest first, once each, within the scope", () =>
      Effect.gen(function* () {
        const { id, other, project, toRead, toWrite } = yield* newOrganization
        const made = yield* Effect.forEach([project, other, project, project, other], (of, number) =>
          kind.insert(toWrite, of.id, number)
        )
        const listed = (of: ProjectId | null, reading = toRead) =>
          Effect.map(
            everyPage((page) => kind.list(reading, of, page), { limit: 2 }),
            (pages) => pages.flatMap(({ results }) => results.map((one) => made.findIndex(({ id }) => id === one.id)))
          )
        expect(yield* listed(null)).toEqual([4, 3, 2, 1, 0])
        expect(yield* listed(project.id)).toEqual([3, 2, 0])
        const bound = permit(id, "tools.list", [{ type: "project", id: other.id }])
        expect(yield* listed(null, bound)).toEqual([4, 1])
        expect(yield* listed(project.id, bound)).toEqual([])
      })
    )
  })
}

const behavior: VoiceBehavior = {
  voice: hostile,
  pace: 0.75,
  interrupts: { after_seconds: 1.5, after_words: null, probability: 0.25, phrases: [hostile] },
  backchannels: null,
  silences: { seconds: 2, probability: 1 },
  line: { gain_db: -6, noise_db: -40.5, second_talker_db: null, packet_loss: 0.01, jitter_ms: 60 },
  seed: 7
}

/** Registers the contract tests of the stores of personalities, test profiles, phone numbers and tools. */
export const catalogStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<
    PersonalityStore | TestProfileStore | PhoneNumberStore | ToolStore | ProjectStore | OrganizationStore,
    E
  >
): void => {
  contract(subject, stores, {
    noun: "personalities",
    store: PersonalityStore,
    insert: (to, projectId, number) =>
      Effect.flatMap(PersonalityStore, (store) =>
        store.insert(
          to,
          { projectId, name: `${hostile}${number}`, language: "multi", description: hostile, voiceBehavior: behavior },
          at(1)
        )
      ),
    list: (to, projectId, page) =>
      Effect.flatMap(PersonalityStore, (store) => store.list(to, { projectId, enabledIn: null, language: null }, page)),
    changed: (one) =>
      new Personality({
        ...{ ...one, name: "Other", language: "zh", description: "" },
        voiceBehavior: one.voiceBehavior === null ? behavior : null,
        updatedAt: at(2)
      })
  })
  contract(subject, stores, {
    noun: "test profiles",
    store: TestProfileStore,
    insert: (to, projectId, number) =>
      Effect.flatMap(TestProfileStore, (store) =>
        store.insert(
          to,
          { projectId, name: `${hostile}${number}`, agentId: null, information: { [hostile]: { "1": [null, 0.5] } } },
          at(1)
        )
      ),
    list: (to, projectId, page) =>
      Effect.flatMap(TestProfileStore, (store) => store.list(to, { projectId, agentId: null }, page)),
    changed: (one) => new TestProfile({ ...one, name: "Other", information: { flat: true }, updatedAt: at(2) })
  })
  contract(subject, stores, {
    noun: "phone numbers",
    store: PhoneNumberStore,
    insert: (to, projectId, number) =>
      Effect.flatMap(PhoneNumberStore, (store) =>
        store.insert(to, { projectId, number: `${hostile}${number}`, name: hostile }, at(1))
      ),
    list: (to, projectId, page) => Effect.flatMap(PhoneNumberStore, (store) => store.list(to, { projectId }, page)),
    changed: (one) => new PhoneNumber({ ...one, number: "+15550123", name: "", updatedAt: at(2) })
  })
  contract(subject, stores, {
    noun: "tools",
    store: ToolStore,
    insert: (to, projectId, number) =>
      Effect.flatMap(ToolStore, (store) =>
        store.insert(
          to,
          { projectId, name: `${hostile}${number}`, description: hostile, parameters: { [hostile]: [] } },
          at(1)
        )
      ),
    list: (to, projectId, page) => Effect.flatMap(ToolStore, (store) => store.list(to, { projectId }, page)),
    changed: (one) => new Tool({ ...one, name: "Other", description: "", parameters: {}, updatedAt: at(2) })
  })
}
