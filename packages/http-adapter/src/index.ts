export type { TrustProxy } from "./App.js"
export { earshotListener, type HttpListener, listener, type ListenerOptions } from "./HttpListener.js"
export { HttpServer, type HttpServerOptions, layer, ListenFailed } from "./HttpServer.js"
export { defaultLimits, type HttpLimits } from "./Limits.js"
export { layer as loggerLayer, type LogLevel, type LogOptions } from "./Log.js"
export {
  lead,
  mayLead,
  portOfProcess,
  ProcessEnded,
  type ProcessRole,
  reportReady,
  roleOfProcess
} from "./Processes.js"
