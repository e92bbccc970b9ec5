import {
  type CurrentActor,
  Evaluators,
  FolderId,
  Folders,
  Personalities,
  PersonalityId,
  PhoneNumbers,
  Projects,
  TestProfiles,
  Tools,
  untrusted
} from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { seededProject, engine, errorsOf, unknown } from "../evaluators/fixtures.js"

for (const database of TestEngine.databases) {
  layer(engine(database), { timeout: "2 minutes" })(`what evaluators refer to, on ${database},`, (it) => {
    it.effect(
      "personalities are enabled by id, list, object, text or all, of one language if told, as often as wanted",
      () =>
        Effect.gen(function* () {
          const { as, disabled, organization, personality } = yield* seededProject
          const personalities = yield* Personalities
          const project = (yield* as((yield* Projects).create({ name: "Fresh" }))).id
          const enable = (input: object) =>
            Effect.map(as(personalities.enable(project, untrusted(input))), (all) => all.map(({ id }) => id))
          expect(yield* enable({ personalities: "all", language: "fr" })).toEqual([])
          expect(yield* enable({ personalities: [personality.id, { id: disabled.id }], language: "de" })).toEqual([
            disabled.id
          ])
          for (const named of [
            personality.id,
            String(personality.id),
            [personality.id, personality.id],
            [{ id: personality.id }],
            { id: personality.id },
            `${personality.id}, ${disabled.id}`,
            [`${personality.id},${disabled.id}`],
            `[${personality.id}]`,
            "all",
            ["all"]
          ]) {
            expect(yield* enable({ personalities: named, language: "" })).toEqual([personality.id, disabled.id])
          }
          expect((yield* as(personalities.list({ enabled_in: project, language: "de" }))).results).toEqual([disabled])
          expect((yield* as(personalities.list({ project }))).results).toEqual([])
          expect(disabled.organizationId).toBe(organization.id)
        })
    )

    it.effect("rejects unknown or missing personalities and enables none", () =>
      Effect.gen(function* () {
        const { as, disabled, project } = yield* seededProject
        const theirs = yield* seededProject
        const personalities = yield* Personalities
        const attempt = (input: unknown) => errorsOf(as(personalities.enable(project.id, untrusted(input))))
        expect(
          yield* attempt({ personalities: [disabled.id, theirs.personality.id, 999_999], language: "xx" })
        ).toEqual({
          personalities: unknown(theirs.personality.id, 999_999),
          language: [expect.stringContaining('"xx" is not a valid choice. Choose from ')]
        })
        expect(yield* attempt({ personalities: [disabled.id, "x", 999_999] })).toEqual({
          "personalities[1]": ["A valid integer is required."],
          personalities: unknown(999_999)
        })
        expect(yield* attempt({ personalities: [disabled.id, theirs.personality.id, 999_999] })).toEqual({
          personalities: unknown(theirs.personality.id, 999_999)
        })
        expect(yield* attempt({ language: 7 })).toEqual({
          personalities: ["This field is required."],
          language: [expect.stringContaining('"7" is not a valid choice. Choose from ')]
        })
        expect(yield* attempt({ personalities: [] })).toEqual({
          personalities: ["Ensure this field has at least 1 elements."]
        })
        for (const wrong of ["", null, true, {}, "1;2", [1, "x"], -1, 2 ** 60, ["["], "[1", "1,,2"]) {
          expect(Object.keys((yield* attempt({ personalities: wrong })) as object)[0]).toMatch(/^personalities/)
        }
        expect((yield* as(personalities.list({ enabled_in: project.id }))).results).toHaveLength(1)
        expect(yield* Effect.flip(theirs.as(personalities.enable(project.id, { personalities: "all" })))).toMatchObject(
          { _tag: "NotFound" }
        )
      })
    )

    it.effect("disables a deleted personality in every project and removes it from evaluators", () =>
      Effect.gen(function* () {
        const { as, make, personality, project } = yield* seededProject
        const made = yield* make({ personality: personality.id })
        const personalities = yield* Personalities
        yield* as(personalities.delete(personality.id))
        expect((yield* as(personalities.list({ enabled_in: project.id }))).results).toEqual([])
        expect(yield* as((yield* Evaluators).read(made.id))).toMatchObject({
          personalityId: null,
          personalityName: null
        })
        expect(yield* Effect.flip(as(personalities.read(personality.id)))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("personalities have a behavior by voice, which a patch replaces or removes as a whole", () =>
      Effect.gen(function* () {
        const { as, personality, project } = yield* seededProject
        const personalities = yield* Personalities
        expect(personality.voiceBehavior).toBeNull()
        const make = (voice_behavior: unknown) =>
          as(personalities.create(untrusted({ project: project.id, name: "Cross", language: "en", voice_behavior })))
        const made = yield* make({ interrupts: { after_words: 5, phrases: ["Stop."] }, seed: 7 })
        expect(made.voiceBehavior).toEqual({
          ...{ voice: null, pace: 1, backchannels: null, silences: null, line: null, seed: 7 },
          interrupts: { after_seconds: null, after_words: 5, probability: 1, phrases: ["Stop."] }
        })
        const patch = (input: object) => as(personalities.update(made.id, untrusted(input)))
        expect((yield* patch({ name: "Rude" })).voiceBehavior).toEqual(made.voiceBehavior)
        expect((yield* patch({ voice_behavior: { pace: 0.5 } })).voiceBehavior).toMatchObject({
          pace: 0.5,
          interrupts: null
        })
        expect((yield* as(personalities.read(made.id))).voiceBehavior).toMatchObject({ pace: 0.5, seed: null })
        expect((yield* patch({ voice_behavior: null })).voiceBehavior).toBeNull()
        expect(
          yield* errorsOf(make({ pace: 0, interrupts: { after_words: 0 }, line: { jitter_ms: "x" }, silences: {} }))
        ).toEqual({
          "voice_behavior.pace": ["Ensure this value is between 0.25 and 4."],
          "voice_behavior.interrupts.after_words": ["Ensure this value is greater than or equal to 1."],
          "voice_behavior.silences.seconds": ["This field is required."],
          "voice_behavior.line.jitter_ms": ["A valid number is required."]
        })
        expect(yield* errorsOf(make({ pace: 5 }))).toEqual({
          "voice_behavior.pace": ["Ensure this value is between 0.25 and 4."]
        })
      })
    )

    it.effect("changes only the given fields, and only within the organization", () =>
      Effect.gen(function* () {
        const { as, number, personality, profile, tools } = yield* seededProject
        const theirs = yield* seededProject
        const services = {
          personalities: yield* Personalities,
          profiles: yield* TestProfiles,
          numbers: yield* PhoneNumbers,
          tools: yield* Tools
        }
        const tool = tools[0] ?? (yield* Effect.dieMessage("No tool"))
        expect(yield* as(services.personalities.update(personality.id, { name: "Calm" }))).toMatchObject({
          name: "Calm",
          language: "en"
        })
        expect(yield* as(services.profiles.update(profile.id, { information: { plan: "old, flat" } }))).toMatchObject({
          name: "Ann",
          information: { plan: "old, flat" }
        })
        expect(yield* as(services.numbers.update(number.id, { name: "" }))).toMatchObject({
          number: "+15550100",
          name: ""
        })
        expect(yield* as(services.tools.update(tool.id, { parameters: { type: "object" } }))).toMatchObject({
          name: "keypad",
          parameters: { type: "object" }
        })
        for (const attempt of [
          services.personalities.read(personality.id),
          services.personalities.update(personality.id, { name: "x" }),
          services.personalities.delete(personality.id),
          services.profiles.read(profile.id),
          services.profiles.update(profile.id, { name: "x" }),
          services.profiles.delete(profile.id),
          services.numbers.read(number.id),
          services.numbers.update(number.id, { name: "x" }),
          services.numbers.delete(number.id),
          services.tools.read(tool.id),
          services.tools.update(tool.id, { name: "x" }),
          services.tools.delete(tool.id)
        ]) {
          expect(yield* Effect.flip(theirs.as(attempt))).toMatchObject({ _tag: "NotFound" })
        }
      })
    )

    it.effect("keeps phone numbers unique in an organization until they are deleted", () =>
      Effect.gen(function* () {
        const { as, make, number, project } = yield* seededProject
        const numbers = yield* PhoneNumbers
        const again = as(numbers.create({ project: project.id, number: "+15550100" }))
        expect(yield* errorsOf(again)).toEqual({ number: ["This field must be unique."] })
        const made = yield* make({ phone_number: number.number })
        expect(made.phoneNumberId).toBe(number.id)
        yield* as(numbers.delete(number.id))
        expect(yield* as((yield* Evaluators).read(made.id))).toMatchObject({ phoneNumber: null, phoneNumberId: null })
        yield* again
        const projects = yield* Projects
        const gone = yield* as(projects.create({ name: "Gone" }))
        yield* as(numbers.create({ project: gone.id, number: "+15550177" }))
        yield* as(projects.delete(gone.id))
        yield* as(numbers.create({ project: project.id, number: "+15550177" }))
      })
    )

    it.effect("rejects a draft with every error at once", () =>
      Effect.gen(function* () {
        const { agent, as, profile, project } = yield* seededProject
        const other = yield* seededProject
        expect(
          yield* errorsOf(as((yield* Personalities).create(untrusted({ name: " ", language: "klingon" }))))
        ).toEqual({
          project: ["This field is required."],
          name: ["This field may not be blank."],
          language: [expect.stringContaining('"klingon" is not a valid choice. Choose from ')]
        })
        expect(
          yield* errorsOf(
            as(
              (yield* TestProfiles).create({
                project: project.id,
                name: "n".repeat(256),
                information: { main_agent_variables: [] }
              })
            )
          )
        ).toEqual({
          name: ["Ensure this field has no more than 255 characters."],
          "information.main_agent_variables": ["Expected an object."]
        })
        expect(
          yield* errorsOf(as((yield* TestProfiles).create({ project: project.id, name: "x", agent: other.agent.id })))
        ).toEqual({ agent: unknown(other.agent.id) })
        expect(
          yield* as((yield* TestProfiles).create({ project: project.id, name: "x", agent: agent.id }))
        ).toMatchObject({ agentId: agent.id, agentName: agent.name, information: {} })
        const elsewhere = { project: other.project.id, name: 7 }
        for (const attempt of [
          errorsOf(as((yield* Tools).create(untrusted(elsewhere)))),
          errorsOf(as((yield* PhoneNumbers).create(untrusted(elsewhere)))),
          errorsOf(as((yield* Personalities).create(untrusted(elsewhere)))),
          errorsOf(as((yield* TestProfiles).create(untrusted(elsewhere))))
        ]) {
          expect(yield* attempt).toMatchObject({ project: unknown(other.project.id), name: ["Not a valid string."] })
        }
        expect(yield* errorsOf(as((yield* Folders).create({ project: other.project.id, path: ".." })))).toEqual({
          project: unknown(other.project.id),
          path: ["A level of a folder path may not be blank."]
        })
        expect(yield* errorsOf(as((yield* Folders).create(untrusted({ path: ".." }))))).toEqual({
          project: ["This field is required."],
          path: ["A level of a folder path may not be blank."]
        })
        expect(
          yield* errorsOf(as((yield* TestProfiles).update(profile.id, { name: "", agent: other.agent.id })))
        ).toEqual({ name: ["This field may not be blank."], agent: unknown(other.agent.id) })
        expect(
          yield* errorsOf(
            as((yield* TestProfiles).create({ project: other.project.id, name: "x", agent: other.agent.id }))
          )
        ).toEqual({ project: unknown(other.project.id), agent: unknown(other.agent.id) })
      })
    )

    it.effect("creates folders level by level with unique paths", () =>
      Effect.gen(function* () {
        const { as, project } = yield* seededProject
        const folders = yield* Folders
        const create = (path: unknown) => as(folders.create(untrusted({ project: project.id, path })))
        const attempt = (path: unknown) =>
          Effect.map(errorsOf(create(path)), (errors) => (errors as { path: unknown }).path)
        expect(yield* attempt("a.b")).toEqual(['Folder "a" does not exist.'])
        yield* create("a")
        expect(yield* create("a.b")).toMatchObject({ path: "a.b", projectId: project.id })
        expect(yield* attempt("a.b")).toEqual(["This field must be unique."])
        for (const path of ["", "..", ".", "a.", ".a", "a..c", "a. b", "a\0", 7, null, "x".repeat(101)]) {
          expect(yield* attempt(path)).toHaveLength(1)
        }
        for (const path of ["Ä 🛎️", "a'; drop table folders", "100%", "a_b", "__proto__", "/etc/passwd"]) {
          expect(yield* create(path)).toMatchObject({ path })
        }
      })
    )

    it.effect("keeps the descendants and evaluators of a folder that is renamed or moved", () =>
      Effect.gen(function* () {
        const { as, folder, inner, make, project } = yield* seededProject
        const folders = yield* Folders
        const evaluators = yield* Evaluators
        const smoky = yield* as(folders.create({ project: project.id, path: "smoke_y" }))
        const made = yield* make({ folder_path: "smoke.nightly" })
        const moved = (path: string) => as(folders.update(folder.id, { path }))
        expect(yield* moved("Rauch 🚬")).toMatchObject({ path: "Rauch 🚬" })
        expect(yield* as(folders.read(inner.id))).toMatchObject({ path: "Rauch 🚬.nightly" })
        expect(yield* as(evaluators.read(made.id))).toMatchObject({ folderPath: "Rauch 🚬.nightly" })
        yield* moved("smoke_y.in")
        expect(yield* as(evaluators.read(made.id))).toMatchObject({ folderPath: "smoke_y.in.nightly" })
        expect(yield* as(folders.read(smoky.id))).toMatchObject({ path: "smoke_y" })
        expect(yield* errorsOf(moved("smoke_y"))).toEqual({ path: ["This field must be unique."] })
        expect(yield* errorsOf(moved("smoke_y.in.nightly.x"))).toEqual({
          path: ["A folder cannot be moved into itself."]
        })
        expect(yield* errorsOf(moved("nowhere.x"))).toEqual({ path: ['Folder "nowhere" does not exist.'] })
        expect(yield* errorsOf(as(folders.update(smoky.id, { path: "x".repeat(101) })))).toMatchObject({
          path: [expect.any(String)]
        })
        expect(yield* moved("smoke_y.in")).toMatchObject({ path: "smoke_y.in" })
      })
    )

    it.effect("moves the evaluators of a deleted folder to its parent, or to the root", () =>
      Effect.gen(function* () {
        const { as, folder, inner, make, project } = yield* seededProject
        const folders = yield* Folders
        const evaluators = yield* Evaluators
        yield* as(folders.create({ project: project.id, path: "smoke.nightly.deep" }))
        yield* as(folders.create({ project: project.id, path: "smokeless" }))
        const deep = yield* make({ folder_path: "smoke.nightly.deep" })
        const top = yield* make({ folder_path: "smoke" })
        const sibling = yield* make({ folder_path: "smokeless" })
        const where = Effect.forEach([deep, top, sibling], ({ id }) =>
          Effect.map(as(evaluators.read(id)), ({ folderPath }) => folderPath)
        )
        yield* as(folders.delete(inner.id))
        expect(yield* where).toEqual(["smoke", "smoke", "smokeless"])
        yield* as(folders.delete(folder.id))
        expect(yield* where).toEqual(["", "", "smokeless"])
        expect((yield* as(folders.list({ project: project.id }))).results.map(({ path }) => path)).toEqual([
          "smokeless"
        ])
        expect(yield* Effect.flip(as(folders.read(folder.id)))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(as(folders.delete(FolderId.make(999_999))))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("deletes everything in a deleted project, also where other projects use it", () =>
      Effect.gen(function* () {
        const { as, folder, make, personality, profile, project, toolIds } = yield* seededProject
        const sql = yield* SqlClient
        const projects = yield* Projects
        const personalities = yield* Personalities
        const elsewhere = yield* as(projects.create({ name: "Elsewhere" }))
        yield* as(personalities.enable(elsewhere.id, { personalities: personality.id }))
        const made = yield* make({ personality: personality.id })
        yield* as(projects.delete(project.id))
        const gone: ReadonlyArray<Effect.Effect<unknown, unknown, CurrentActor>> = [
          (yield* Evaluators).read(made.id),
          personalities.read(PersonalityId.make(personality.id)),
          (yield* TestProfiles).read(profile.id),
          (yield* Tools).read(toolIds[0] ?? (yield* Effect.dieMessage("No tool"))),
          (yield* Folders).read(folder.id)
        ]
        for (const one of gone) {
          expect(yield* Effect.flip(as(one))).toMatchObject({ _tag: "NotFound" })
        }
        expect((yield* as(personalities.list({ enabled_in: elsewhere.id }))).results).toEqual([])
        expect((yield* as((yield* Evaluators).list({}))).results).toEqual([])
        expect(yield* sql`SELECT count(*) AS n FROM evaluators WHERE id = ${made.id}`).toEqual([{ n: 1 }])
      })
    )
  })
}
