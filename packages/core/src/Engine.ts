/**
 * The engine: every service wired to its stores. It needs a storage layer (`@earshot/core/sqlite` or
 * `@earshot/core/postgres`) and takes every other port with a working default.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import * as ApiKeys from "./access/ApiKeys.js"
import * as Agents from "./catalog/Agents.js"
import * as Organizations from "./catalog/Organizations.js"
import * as Projects from "./catalog/Projects.js"
import type { UnitOfWork } from "./kernel/Storage.js"
import * as AgentStoreSql from "./storage/sql/AgentStoreSql.js"
import * as ApiKeyStoreSql from "./storage/sql/ApiKeyStoreSql.js"
import type { Dialect } from "./storage/sql/Dialect.js"
import * as OrganizationStoreSql from "./storage/sql/OrganizationStoreSql.js"
import * as ProjectStoreSql from "./storage/sql/ProjectStoreSql.js"

/** What a storage layer provides. */
export type Storage = SqlClient | Dialect | UnitOfWork

/** The services that a program calls. */
export type Services = ApiKeys.ApiKeys | Projects.Projects | Agents.Agents | Organizations.Organizations

const stores = Layer.mergeAll(
  ApiKeyStoreSql.layer,
  OrganizationStoreSql.layer,
  ProjectStoreSql.layer,
  AgentStoreSql.layer
)

const catalog = Organizations.layer.pipe(
  Layer.provideMerge(Agents.layer),
  Layer.provideMerge(Projects.layer),
  Layer.provideMerge(ApiKeys.layer)
)

export const layer: Layer.Layer<Services, never, Storage> = catalog.pipe(Layer.provide(stores))
