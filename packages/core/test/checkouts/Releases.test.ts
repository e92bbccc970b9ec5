import { randomBytes } from "node:crypto"
import { Checkouts, CodeConnections, hostActor, JobRunner } from "@earshot/core"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const secretBox = AesSecretBox.layer(
  Either.getOrThrow(AesSecretBox.parse(Redacted.make(randomBytes(32).toString("base64"))))
)

/** An organization with an active connection to a fake GitLab, and a checkout of one repository. */
const checkedOut = Effect.gen(function* () {
  const gitlab = yield* CheckoutKit.fakeGitLab
  yield* TestClock.setTime(Date.now())
  const { organization } = yield* TestEngine.fixture
  const as = TestEngine.as(hostActor(organization.id))
  const connections = yield* CodeConnections
  const connection = yield* as(
    connections.create({
      host: "gitlab",
      settings: { base_url: gitlab.url, namespace: gitlab.namespace },
      secret: gitlab.accessToken
    })
  )
  yield* as(connections.activate(connection.id))
  const checkout = yield* Effect.flatMap(Checkouts, (checkouts) => as(checkouts.create({ repo: "web" })))
  return { gitlab, checkout }
})

for (const database of TestEngine.databases) {
  describe(`the job runner on ${database}`, () => {
    it.scoped("releases expired checkout tokens at their code host when it drains", () =>
      Effect.gen(function* () {
        const { checkout, gitlab } = yield* checkedOut
        const runner = yield* JobRunner
        yield* runner.drain
        expect(gitlab.tokens.size).toBe(1)
        yield* TestClock.setTime(DateTime.toEpochMillis(checkout.expiresAt) + 1)
        yield* runner.drain
        expect(gitlab.tokens.size).toBe(0)
      }).pipe(Effect.provide(TestEngine.layer(database, { allowHosts: ["127.0.0.1"], secretBox })))
    )
  })
}
