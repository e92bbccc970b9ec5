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
import { Instant, readRows } from "./Rows.js"
import { storing, whenTaken } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"

const FolderRow = Schema.Struct({
  id: FolderId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  path: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

export const layer = Layer.effect(
  FolderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const table = yield* tenantTable({
      store: "FolderStore",
      table: "folders",
      row: FolderRow,
      softDeletes: false,
      scope: { project: "t.project_id" },
      make: (row) =>
        new Folder({
          id: row.id,
          organizationId: row.organization_id,
          projectId: row.project_id,
          path: row.path,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
    })
    const paths = readRows(Schema.Struct({ path: Schema.String }), ({ path }) => path)
    const ids = readRows(Schema.Struct({ id: FolderId }), ({ id }) => id)

    /** The folders in one, however deep. Not LIKE, to which `%` and `_` in names are signs. */
    const inside = (folder: Folder) => {
      const prefix = `${folder.path}.`
      return sql`project_id = ${folder.projectId} AND substr(path, 1, length(${prefix})) = ${prefix}`
    }

    return FolderStore.of({
      insert: (permit, folder, now) =>
        table.insert(
          permit,
          { project_id: folder.projectId, path: folder.path, ...createdAt(now) },
          () => new FolderTaken({ path: folder.path })
        ),
      find: table.find,
      findPathsForUpdate: (permit, project, wanted) =>
        sql`SELECT id FROM ${tables.folders}
            WHERE project_id = ${project} AND organization_id = ${permit.organizationId}
              AND path IN ${dialect.texts(wanted)} ORDER BY id ${dialect.forUpdate}`.pipe(
          ids.all,
          Effect.flatMap((locked) => table.all(permit, dialect.isOneOf("t.id", locked))),
          storing("FolderStore.findPathsForUpdate")
        ),
      pathsIn: (permit, folder) =>
        sql`SELECT path FROM ${tables.folders} WHERE ${inside(folder)} AND organization_id = ${permit.organizationId}`.pipe(
          paths.all,
          storing("FolderStore.pathsIn")
        ),
      list: (permit, { projectId }, page) => table.list(permit, page, { project_id: projectId }),
      move: (permit, folder, path, now) =>
        sql`UPDATE ${tables.folders}
            SET path = ${path} || substr(path, length(${folder.path}) + 1), updated_ms = ${DateTime.toEpochMillis(now)}
            WHERE organization_id = ${permit.organizationId} AND (id = ${folder.id} OR (${inside(folder)}))`.pipe(
          Effect.asVoid,
          whenTaken(() => new FolderTaken({ path })),
          storing("FolderStore.move")
        ),
      remove: (permit, folder) =>
        Effect.gen(function* () {
          const gone = sql`FROM ${tables.folders}
            WHERE organization_id = ${permit.organizationId} AND (id = ${folder.id} OR (${inside(folder)}))`
          const emptied = sql`UPDATE ${tables.evaluators}
            SET folder_id = (SELECT id FROM ${tables.folders}
              WHERE project_id = ${folder.projectId} AND path = ${parentPath(folder.path)})
            WHERE folder_id IN (SELECT id ${gone})`
          // Evaluators before folders, as writers of evaluators lock them. A transaction that puts
          // evaluators into these folders meanwhile is waited for at the lock, and then they are moved as well.
          yield* emptied
          yield* sql`SELECT id ${gone} ORDER BY id ${dialect.forUpdate}`
          yield* emptied
          yield* sql`DELETE ${gone}`
        }).pipe(storing("FolderStore.remove"))
    })
  })
)
