import { PostgresRateLimits } from "@earshot/core/postgres"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { AccessKit, TestEngine } from "@earshot/test-kit"
import * as Layer from "effect/Layer"

AccessKit.rateLimiterContract("memory", RateLimits.layerMemory)
AccessKit.rateLimiterContract("PostgreSQL", (allowances) =>
  PostgresRateLimits.layer(allowances).pipe(Layer.provide(TestEngine.storage("postgres")))
)
