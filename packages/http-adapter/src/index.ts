export { parseNetworks, type TrustProxy } from "./ClientAddress.js"
export { isOrigin } from "./SecurityHeaders.js"
export { earshotFetch, type FetchClient, type FetchHandler } from "./FetchHandler.js"
export { earshotListener, type HttpListener, listener, type ListenerOptions } from "./HttpListener.js"
export { HttpServer, type HttpServerOptions, layer, ListenFailed } from "./HttpServer.js"
export { reportJobMetrics } from "./Metrics.js"
export { respond } from "./InProcess.js"
export { defaultLimits, type HttpLimits, limitErrors } from "./Limits.js"
export { layer as loggerLayer, type LogLevel, type LogOptions } from "./Log.js"
export {
  startCluster,
  canStartCluster,
  workerPort,
  ProcessEnded,
  type WorkerRole,
  reportReady,
  workerRole
} from "./Cluster.js"
