import { Projects } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expect } from "vitest"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`projects on ${database}`, (it) => {
    it.effect("are created with their name", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const project = yield* (yield* Projects).create({ name: "Mine" }).pipe(TestEngine.as(actor))
        expect(project.name).toBe("Mine")
      })
    )
  })
}
