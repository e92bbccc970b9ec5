export { HttpServer, type HttpServerOptions, layer, ListenFailed, type LogLevel } from "./HttpServer.js"
export { defaultLimits, type HttpLimits } from "./Limits.js"
