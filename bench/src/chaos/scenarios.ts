import { halfHeadersScenario, newConnectionsScenario, wrongKeysScenario } from "./connections.js"
import { fullDatabaseScenario, fullRecordingsScenario } from "./fullDisk.js"
import { killScenario, takeOverScenario } from "./kills.js"
import { largePagesScenario } from "./largePages.js"
import { lockedSqliteScenario } from "./lockedSqlite.js"
import { queriesScenario } from "./queries.js"
import type { Scenario } from "./Scenario.js"
import { sickPostgresScenarios } from "./sickPostgres.js"
import { tenantsScenario } from "./tenants.js"

export const scenarios: ReadonlyArray<Scenario> = [
  queriesScenario,
  largePagesScenario,
  ...sickPostgresScenarios,
  lockedSqliteScenario,
  fullDatabaseScenario,
  fullRecordingsScenario,
  halfHeadersScenario,
  wrongKeysScenario,
  newConnectionsScenario,
  killScenario,
  takeOverScenario,
  tenantsScenario
]
