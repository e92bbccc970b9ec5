export { type Checkout, CHECKOUT_SECONDS, CheckoutDraft, CheckoutWire, encodeCheckout } from "./Checkout.js"
export * from "./CheckoutErrors.js"
export {
  CheckoutGrantStore,
  type DueGrant,
  type GrantedRepository,
  type NewCheckoutGrant
} from "./CheckoutGrantStore.js"
export type { Released } from "./CheckoutReleases.js"
export { Checkouts } from "./Checkouts.js"
export { CodeConnection, CodeConnectionDraft, ConnectionState, encodeCodeConnection } from "./CodeConnection.js"
export { CodeConnections } from "./CodeConnections.js"
export {
  CodeConnectionStore,
  type NewCodeConnection,
  type SealedSecret,
  type StoredConnection
} from "./CodeConnectionStore.js"
export { type CodeHost, CodeHosts, type HostAccess, type HostCheckout, type OpenConnection } from "./CodeHost.js"
export { LOCAL, REPOSITORIES_PATH } from "./Local.js"
export { type OpenRepository, Repositories, type RepositoryRequest } from "./Repositories.js"
export { parseRepositoryName, parseRepositorySegment, RepositoryName } from "./RepositoryName.js"
export { Secrets } from "./Secrets.js"
export { type LocalRepository, RepositoryServer, type Serving, type ServingError } from "./RepositoryServer.js"
