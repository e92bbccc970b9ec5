/** Benchmarks of what a rejected request costs, on a new engine for each database. */
import { randomBytes } from "node:crypto"
import { Engine } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { SqliteStorage } from "@earshot/core/sqlite"
import { createDatabase } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Benchmark, benchmark, type DatabaseName, type Environment } from "./Benchmark.js"

/** Seals what the engine signs and verifies with. */
const secretBox = AesSecretBox.layer(
  Either.getOrThrow(AesSecretBox.parse(Redacted.make(randomBytes(32).toString("base64"))))
)

export const rejectionBenchmark = <Size extends { readonly rounds: number }>(definition: {
  readonly name: string
  readonly full: Size
  readonly tiny: Size
  /** What is sent, such as "5000 wrong credentials". */
  readonly about: (size: Size) => string
  readonly measure: (size: Size, print: Environment["print"]) => Effect.Effect<void, unknown, Engine.Services>
}): Benchmark =>
  benchmark<Size>({
    name: definition.name,
    full: definition.full,
    tiny: definition.tiny,
    run: async (size, { databases, print, startPostgres }) => {
      const measureOn = async (database: DatabaseName, storage: Layer.Layer<Engine.Storage, unknown>) => {
        print(`${definition.about(size)} on ${database}, ${size.rounds} rounds`)
        const engine = Engine.layerWith({
          secretBox,
          rateLimiter: RateLimits.layerMemory({ refusals: { points: 60, seconds: 60 } })
        }).pipe(Layer.provideMerge(storage))
        await Effect.runPromise(Effect.provide(definition.measure(size, print), engine))
      }
      if (databases.includes("sqlite")) await measureOn("sqlite", SqliteStorage.layer({ filename: ":memory:" }))
      if (!databases.includes("postgres")) return
      const server = await startPostgres()
      const database = await createDatabase(server.url)
      await measureOn("postgres", PostgresStorage.layer({ url: Redacted.make(database.url) }))
      await database.drop()
      await server.stop()
    }
  })
