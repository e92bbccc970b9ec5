import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
/** Which revisions of the catalogue a database's agents have been given. */
export declare const REVISIONS_TABLE = "earshot_catalogue"
/**
 * The revisions of the catalogue of predefined metrics, each run once a database, after its tables are what this version
 * needs. New agents get the metrics when they are made; a revision is for those that were made before. They are counted
 * apart from migrations, since they change no table, and any of them brings agents to the newest catalogue.
 */
export declare const predefinedMetricRevisions: {
  "0001_predefined": Effect.Effect<
    void,
    import("@effect/sql/SqlError").SqlError | import("effect/ParseResult").ParseError,
    SqlClient
  >
}
//# sourceMappingURL=PredefinedMetricRevisions.d.ts.map
