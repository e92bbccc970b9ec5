/**
 * The engine: every service wired to its stores. It needs a storage layer (`@earshot/core/sqlite` or
 * `@earshot/core/postgres`) and takes every other port with a working default.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import * as Projects from "./catalog/Projects.js"
import type { UnitOfWork } from "./kernel/Storage.js"
import type { Dialect } from "./storage/sql/Dialect.js"
import * as ProjectStoreSql from "./storage/sql/ProjectStoreSql.js"

/** What a storage layer provides. */
export type Storage = SqlClient | Dialect | UnitOfWork

/** The services that a program calls. */
export type Services = Projects.Projects

const stores = Layer.mergeAll(ProjectStoreSql.layer)

export const layer: Layer.Layer<Services, never, Storage> = Layer.mergeAll(Projects.layer).pipe(Layer.provide(stores))
