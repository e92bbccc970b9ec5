/** The engine's own ports, held to the kit's contracts alone. */
import { Engine } from "@earshot/core"
import {
  AccessKit,
  CatalogKit,
  CheckoutKit,
  CreditKit,
  DashboardKit,
  MetricKit,
  SimplificationKit,
  StorageKit,
  TestEngine
} from "@earshot/test-kit"
import * as Layer from "effect/Layer"

for (const database of TestEngine.databases) {
  const storage = Engine.stores.pipe(Layer.provideMerge(TestEngine.storage(database)))
  StorageKit.unitOfWorkContract(database, storage)
  CatalogKit.organizationStoreContract(database, storage)
  CatalogKit.projectStoreContract(database, storage)
  AccessKit.apiKeyStoreContract(database, storage)
  AccessKit.shareableLinkStoreContract(database, storage)
  AccessKit.revokedTokenStoreContract(database, storage)
  AccessKit.signingKeyStoreContract(database, storage)
  AccessKit.userStoreContract(database, storage)
  CreditKit.ledgerStoreContract(database, storage)
  DashboardKit.dashboardStoreContract(database, storage)
  MetricKit.metricStoreContract(database, storage)
  MetricKit.evaluationStoreContract(database, storage)
  CheckoutKit.checkoutStoreContract(database, storage)
  SimplificationKit.simplificationStoreContract(database, storage)
}
