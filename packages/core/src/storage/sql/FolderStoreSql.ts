import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { FolderTaken } from "../../catalog/CatalogErrors.js"
import { Folder } from "../../catalog/Folder.js"
import { parentPath } from "../../catalog/FolderPathRules.js"
import { FolderStore } from "../../catalog/FolderStore.js"
import { FolderId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { within } from "./Reach.js"
import { Instant, readRows } from "./Rows.js"
import { isUniqueViolation, storing } from "./Storing.js"

const FolderRow = Schema.Struct({
  id: FolderId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  path: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

const toFolder = (row: typeof FolderRow.Type): Folder =>
  new Folder({
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    path: row.path,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })

const unlessTaken =
  (path: string) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>) =>
    Effect.mapError(statement, (error) => (isUniqueViolation(error) ? new FolderTaken({ path }) : error))

export const layer = Layer.effect(
  FolderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const folders = readRows(FolderRow, toFolder)
    const paths = readRows(Schema.Struct({ path: Schema.String }), ({ path }) => path)
    const columns = "id, organization_id, project_id, path, created_ms, updated_ms"
    const selected = sql.literal(`
      SELECT f.id, f.organization_id, f.project_id, f.path, f.created_ms, f.updated_ms FROM folders f
      JOIN projects p ON p.id = f.project_id AND p.deleted_ms IS NULL`)

    /** The folders in one, however deep. Not LIKE, to which `%` and `_` in names are signs. */
    const inside = (folder: Folder) => {
      const prefix = `${folder.path}.`
      return sql`project_id = ${folder.projectId} AND substr(path, 1, length(${prefix})) = ${prefix}`
    }

    return FolderStore.of({
      insert: (permit, folder, now) =>
        sql`INSERT INTO folders ${sql
          .insert({
            organization_id: permit.organizationId,
            project_id: folder.projectId,
            path: folder.path,
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning(sql.literal(columns))}`.pipe(folders.one, unlessTaken(folder.path), storing("FolderStore.insert")),
      find: (permit, id) =>
        sql`${selected} WHERE f.id = ${id} AND f.organization_id = ${permit.organizationId}`.pipe(
          folders.first,
          storing("FolderStore.find")
        ),
      holdPaths: (permit, project, wanted) =>
        sql`SELECT ${sql.literal(columns)} FROM folders
            WHERE project_id = ${project} AND organization_id = ${permit.organizationId}
              AND path IN ${dialect.texts(wanted)} ORDER BY id ${dialect.forUpdate}`.pipe(
          folders.all,
          storing("FolderStore.holdPaths")
        ),
      pathsIn: (permit, folder) =>
        sql`SELECT path FROM folders WHERE ${inside(folder)} AND organization_id = ${permit.organizationId}`.pipe(
          paths.all,
          storing("FolderStore.pathsIn")
        ),
      list: (permit, { projectId }, page) =>
        sql`${selected}
            WHERE f.organization_id = ${permit.organizationId}
              AND ${projectId === null ? sql`1 = 1` : sql`f.project_id = ${projectId}`}
              AND ${within(sql, permit, { project: "f.project_id" })}
              AND ${keyset(sql, page, "f.id")}`.pipe(folders.all, storing("FolderStore.list")),
      move: (permit, folder, path, now) =>
        sql`UPDATE folders
            SET path = ${path} || substr(path, length(${folder.path}) + 1), updated_ms = ${DateTime.toEpochMillis(now)}
            WHERE organization_id = ${permit.organizationId} AND (id = ${folder.id} OR (${inside(folder)}))`.pipe(
          Effect.asVoid,
          unlessTaken(path),
          storing("FolderStore.move")
        ),
      remove: (permit, folder) =>
        Effect.gen(function* () {
          const gone = sql`FROM folders
            WHERE organization_id = ${permit.organizationId} AND (id = ${folder.id} OR (${inside(folder)}))`
          const emptied = sql`UPDATE evaluators
            SET folder_id = (SELECT id FROM folders
              WHERE project_id = ${folder.projectId} AND path = ${parentPath(folder.path)})
            WHERE folder_id IN (SELECT id ${gone})`
          // Evaluators before folders, as writers of evaluators lock them. Whoever was putting evaluators into these
          // folders meanwhile is waited for at the lock, so what they have put there is moved as well.
          yield* emptied
          yield* sql`SELECT id ${gone} ORDER BY id ${dialect.forUpdate}`
          yield* emptied
          yield* sql`DELETE ${gone}`
        }).pipe(storing("FolderStore.remove"))
    })
  })
)
