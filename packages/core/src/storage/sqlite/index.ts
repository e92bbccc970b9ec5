export * as SqliteStorage from "./SqliteStorage.js"
export * as SqliteBackup from "./SqliteBackup.js"
