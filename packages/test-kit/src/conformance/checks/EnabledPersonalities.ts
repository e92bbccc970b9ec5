/** E7. */
import { type Fixture, PATHS } from "../Fixture.js"
import { at, listAt } from "../../Documents.js"
import {
  bodyOf,
  expectDetail,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectEqual,
  expectStatus,
  expectTrue
} from "../Expect.js"
import { checksOf } from "../Check.js"

/** A project of its own with three personalities that were made elsewhere. */
const personalities = async (fixture: Fixture) => {
  const elsewhere = await fixture.project()
  const made: Array<number> = []
  for (const language of ["en", "de", "en"]) {
    made.push(await fixture.makeId(PATHS.personalities, { project: elsewhere, name: "Conformance", language }))
  }
  const project = await fixture.makeId(PATHS.projects, { name: "Enabling" })
  const path = `${PATHS.projects}${project}/enable_personalities/`
  /** Which of the three a project has after it was asked to enable some. */
  const enabled = (answer: unknown) => made.filter((id) => listAt(answer).some((one) => at(one, "id") === id))
  const enable = async (body: object) => {
    const reply = await fixture.post(path, body)
    expectStatus(reply, 200)
    return enabled(reply.json)
  }
  return { made, path, enable, enabled }
}

export const enabledPersonalities = checksOf("E7", {
  forms: [
    "accepts an id, ids, {id}s, a comma-separated list or all, and adds to what is enabled",
    async (fixture) => {
      const { enable, made } = await personalities(fixture)
      const [a = 0, b = 0, c = 0] = made
      expectEqual("what is enabled by an id", await enable({ personalities: a }), [a])
      expectEqual("what is enabled by an id again", await enable({ personalities: [a] }), [a])
      expectEqual("what is enabled by {id}", await enable({ personalities: [{ id: b }] }), [a, b])
      expectEqual("what is enabled by a text", await enable({ personalities: `${a}, ${c}` }), [a, b, c])
      const another = await personalities(fixture)
      expectEqual("what is enabled by all", await another.enable({ personalities: "all" }), another.made)
    }
  ],
  language: [
    "language limits the personalities to that language",
    async (fixture) => {
      const { enable, made } = await personalities(fixture)
      const [a = 0, b = 0, c = 0] = made
      expectEqual("what is enabled in English", await enable({ personalities: made, language: "en" }), [a, c])
      expectEqual("what is enabled in German", await enable({ personalities: made, language: "de" }), [a, b, c])
    }
  ],
  encodings: [
    "accepts form and multipart bodies like JSON",
    async (fixture) => {
      for (const encoding of ["form", "multipart"] as const) {
        const { enabled, made, path } = await personalities(fixture)
        const reply = await fixture.ask("POST", path, { [encoding]: { personalities: made, language: "en" } })
        expectStatus(reply, 200)
        expectEqual(`what is enabled by ${encoding}`, enabled(reply.json), [made[0], made[2]])
      }
    }
  ],
  rejected: [
    "requires personalities; rejects unknown ids and languages; 404 for an unknown project",
    async (fixture) => {
      const { made, path } = await personalities(fixture)
      for (const wrong of [undefined, null, "", [], "some", true, [made[0], "x"], [fixture.unknownId]]) {
        expectFieldErrorWithin(await fixture.post(path, { personalities: wrong }), "personalities")
      }
      expectFieldErrors(await fixture.post(path, { personalities: made, language: "xx" }), "language")
      const nowhere = `${PATHS.projects}${fixture.unknownId}/enable_personalities/`
      expectDetail(await fixture.post(nowhere, { personalities: made }), 404)
    }
  ],
  "other-organization": [
    "rejects another organization's personality, enables none then, and all does not include it",
    async (fixture) => {
      const { other } = fixture
      const ask = async (path: string, json: object) => bodyOf(await other.ask("POST", path, { json }), 201)
      const theirs = await ask(PATHS.projects, { name: `Conformance ${fixture.run}` })
      try {
        const { id } = await ask(PATHS.personalities, { project: theirs.id, name: "Theirs", language: "en" })
        const { enable, made, path } = await personalities(fixture)
        for (const wrong of [id, [id], [made[0], id], `${String(made[0])},${String(id)}`]) {
          expectFieldErrorWithin(await fixture.post(path, { personalities: wrong }), "personalities")
        }
        expectEqual("what is enabled after that", await enable({ personalities: made[1] }), [made[1]])
        const all = await fixture.post(path, { personalities: "all" })
        expectStatus(all, 200)
        expectTrue(
          "another organization's personality is enabled",
          !listAt(all.json).some((one) => at(one, "id") === id)
        )
      } finally {
        await other.ask("DELETE", `${PATHS.projects}${String(theirs.id)}/`)
      }
    }
  ]
})
