/**
 * The engine's own stores pass the kit's contracts. The tables have a prefix, so that a statement which names a table
 * without it fails here.
 */
import { Engine } from "@earshot/core"
import {
  AccessKit,
  AnalyticsKit,
  CallKit,
  CatalogKit,
  CheckoutKit,
  CreditKit,
  DashboardKit,
  EvaluatorKit,
  JobKit,
  MetricKit,
  PlatformKit,
  ResultKit,
  SimplificationKit,
  StorageKit,
  TestEngine,
  TraceKit
} from "@earshot/test-kit"
import { SqliteStorage } from "@earshot/core/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll } from "vitest"

/** One database for all contracts: each makes organizations of its own, and starting one for each took most of the time. */
const shared = <R, E>(services: Layer.Layer<R, E>): Layer.Layer<R, E> => {
  const runtime = ManagedRuntime.make(services)
  afterAll(() => runtime.dispose())
  return Layer.effectContext(Effect.map(runtime.runtimeEffect, ({ context }) => context))
}

const stores = Engine.stores.pipe(Layer.provideMerge(TestEngine.engine()))
const on = (database: TestEngine.DatabaseName) =>
  shared(stores.pipe(Layer.provideMerge(TestEngine.storage(database, { tablePrefix: "contract_" }))))
const storages = { sqlite: on("sqlite"), postgres: on("postgres") }

for (const database of TestEngine.databases) {
  const storage = storages[database]
  StorageKit.unitOfWorkContract(database, storage)
  CatalogKit.organizationStoreContract(database, storage)
  CatalogKit.projectStoreContract(database, storage)
  CatalogKit.agentStoreContract(database, storage)
  CatalogKit.catalogStoreContract(database, storage)
  AccessKit.apiKeyStoreContract(database, storage)
  AccessKit.shareableLinkStoreContract(database, storage)
  AccessKit.revokedTokenStoreContract(database, storage)
  AccessKit.signingKeyStoreContract(database, storage)
  AccessKit.userStoreContract(database, storage)
  AccessKit.resourceScopeStoreContract(database, storage)
  CreditKit.ledgerStoreContract(database, storage)
  JobKit.jobStoreContract(database, storage)
  DashboardKit.dashboardStoreContract(database, storage)
  MetricKit.metricStoreContract(database, storage)
  MetricKit.evaluationStoreContract(database, storage)
  EvaluatorKit.evaluatorStoreContract(database, storage)
  ResultKit.resultStoreContract(database, storage)
  ResultKit.runWorkStoreContract(database, storage)
  PlatformKit.integrationStoreContract(database, storage)
  CallKit.callStoreContract(database, storage)
  TraceKit.traceStoreContract(database, storage)
  CheckoutKit.checkoutStoreContract(database, storage)
  SimplificationKit.simplificationStoreContract(database, storage)
}

/**
 * A file, whose reads that grow run in reader processes. They execute the statements that a database in memory does, on which
 * the models of calls and the properties of charts run.
 */
const inFile = Engine.stores.pipe(
  Layer.provideMerge(
    Layer.unwrapScoped(
      Effect.map(StorageKit.emptyDatabase("sqlite"), (address) =>
        SqliteStorage.layer({ filename: address.slice("sqlite:".length), tablePrefix: "contract_" })
      )
    )
  )
)
for (const [subject, storage] of [
  ["sqlite with readers", inFile],
  ["postgres", storages.postgres]
] as const) {
  CallKit.callFilterContract(subject, storage)
  AnalyticsKit.analyticsStoreContract(subject, storage)
}
