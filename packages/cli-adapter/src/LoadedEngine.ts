/** What `bin.ts` loads of the engine: listed here, since a dynamic import of a whole package loads all of it. */
export { ColumnStores, Database, Engine, noLanguageModel } from "@earshot/core"
