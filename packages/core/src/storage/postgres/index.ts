export * as PostgresRateLimits from "./PostgresRateLimits.js"
export * as PostgresStorage from "./PostgresStorage.js"
