export { createDatabase, type FreshDatabase, withDatabase } from "./createDatabase.js"
export { postgresUrl } from "./postgresUrl.js"
export { type PostgresServer, type PostgresServerOptions, startPostgres } from "./startPostgres.js"
