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

for (const database of TestEngine.databases) {
  const storage = Engine.stores.pipe(Layer.provideMerge(TestEngine.storage(database, { tablePrefix: "contract_" })))
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
  const storageAndEngine = Engine.stores.pipe(
    Layer.provideMerge(TestEngine.engine()),
    Layer.provideMerge(TestEngine.storage(database, { tablePrefix: "contract_" }))
  )
  CallKit.callStoreContract(database, storageAndEngine)
  TraceKit.traceStoreContract(database, storageAndEngine)
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
for (const [subject, stores] of [
  ["sqlite with readers", inFile],
  ["postgres", Engine.stores.pipe(Layer.provideMerge(TestEngine.storage("postgres", { tablePrefix: "contract_" })))]
] as const) {
  CallKit.callFilterContract(subject, stores)
  AnalyticsKit.analyticsStoreContract(subject, stores)
}
