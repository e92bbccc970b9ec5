import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { PageRequest } from "../../kernel/Pages.js"

/**
 * The tail of a list's WHERE: the rows on the cursor's side, nearest first, one more than the page holds. `id` is the
 * list's key column, qualified where several tables are joined.
 */
export const keyset = (sql: SqlClient, page: PageRequest, id = "id"): Fragment => {
  const { cursor, limit } = page
  const key = sql.literal(id)
  switch (cursor.at) {
    case "start":
      return sql`1 = 1 ORDER BY ${key} DESC LIMIT ${limit + 1}`
    case "before":
      return sql`${key} < ${cursor.id} ORDER BY ${key} DESC LIMIT ${limit + 1}`
    case "after":
      return sql`${key} > ${cursor.id} ORDER BY ${key} ASC LIMIT ${limit + 1}`
  }
}
