import * as Context from "effect/Context"

/**
 * The clock that leases and due times are measured by. `database`: that of the database server, so that the clocks of the
 * processes need not agree; SQLite has no server, and its processes share the clock of one machine. `process`: this
 * process's own, for tests that set it. Default: `database`.
 */
export class LeaseClock extends Context.Reference<LeaseClock>()("@earshot/core/jobs/LeaseClock", {
  defaultValue: (): "database" | "process" => "database"
}) {}
