export { createDatabase, type FreshDatabase, withDatabase } from "./createDatabase.js"
export { postgresUrl, templateName } from "./postgresUrl.js"
export { type PostgresServer, type PostgresServerOptions, startPostgres } from "./startPostgres.js"
export { templateDatabase } from "./templateDatabase.js"
