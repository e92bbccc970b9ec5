import { randomBytes } from "node:crypto"
import { CodeConnections, SecretBox, Secrets } from "@earshot/core"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { boxOf } from "../support/CheckoutServer.js"

describe("encryption keys for secrets", () => {
  it("can be rotated without losing a secret, and without a key secrets are rejected", async () => {
    const scope = Effect.runSync(Scope.make())
    const gitlab = await Effect.runPromise(Scope.extend(CheckoutKit.fakeGitLab, scope))
    const [old, young] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")]
    const storage = TestEngine.storage("sqlite")
    const program = Effect.gen(function* () {
      const shared = yield* Layer.build(storage)
      const engineWith = (secretBox: ReturnType<typeof boxOf> | undefined) =>
        Layer.build(
          TestEngine.engine({
            allowHosts: ["127.0.0.1"],
            secretBox: secretBox ?? SecretBox.layerNone
          }).pipe(Layer.provide(Layer.succeedContext(shared)))
        )
      const draft = {
        host: "gitlab",
        settings: { base_url: gitlab.url, namespace: gitlab.namespace },
        secret: gitlab.accessToken
      }
      const first = yield* engineWith(boxOf(old))
      const fixture = yield* Effect.provide(TestEngine.fixture, first)
      const as = TestEngine.as(fixture.actor)
      const made = yield* Effect.flatMap(CodeConnections, (all) => as(all.create(draft))).pipe(Effect.provide(first))
      const tried = (engine: typeof first) =>
        Effect.flatMap(CodeConnections, (all) => as(all.test(made.id))).pipe(Effect.provide(engine))
      const reseal = (engine: typeof first) =>
        Effect.flatMap(Secrets, (secrets) => secrets.reseal).pipe(Effect.provide(engine))
      expect((yield* tried(first)).testError).toBeNull()

      const both = yield* engineWith(boxOf(young, old))
      expect((yield* tried(both)).testError).toBeNull()
      expect(yield* reseal(both)).toMatchObject({ older: 1, lost: [] })
      expect(yield* reseal(both)).toMatchObject({ older: 0, lost: [] })

      const second = yield* engineWith(boxOf(young))
      expect((yield* tried(second)).testError).toBeNull()
      expect(yield* Effect.flip(tried(first))).toMatchObject({ _tag: "StorageFailed", operation: "SecretBox.open" })
      const none = yield* engineWith(undefined)
      expect(yield* Effect.flip(tried(none))).toMatchObject({ _tag: "StorageFailed" })
      const rejected = yield* Effect.flip(
        Effect.flatMap(CodeConnections, (all) => as(all.create(draft))).pipe(Effect.provide(none))
      )
      expect(rejected).toMatchObject({ errors: { secret: [expect.stringContaining("EARSHOT_SECRET_KEYS")] } })
    })
    await Effect.runPromise(Effect.scoped(program))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
