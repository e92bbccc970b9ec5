import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"

export interface Place {
  /** A temporary folder. */
  readonly folder: string
  /** A database's address. */
  readonly database: string
  readonly remove: () => Promise<void>
}

/** A folder and an empty database, until they are removed. */
export const place = async (kind: "sqlite" | "postgres"): Promise<Place> => {
  const folder = await mkdtemp(path.join(tmpdir(), "earshot-cli-test-"))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  if (kind === "sqlite") return { folder, database: `sqlite:${path.join(folder, "earshot.db")}`, remove: removeFolder }
  const fresh = await createDatabase(await postgresUrl())
  return {
    folder,
    database: fresh.url,
    remove: async () => {
      await fresh.drop()
      await removeFolder()
    }
  }
}
