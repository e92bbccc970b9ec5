import { command, textArgument } from "./Declare.js"
import { json, recordingsFolder, storage } from "./Shared.js"

const load = () => import("../actions/Backup.js")

export const backup = command("backup", {
  description:
    "Copy an SQLite database with its recordings into a new folder, while servers run. For PostgreSQL see docs/operations.md.",
  options: { ...storage, json, recordings: recordingsFolder },
  args: { folder: textArgument("folder", "Folder to create.") },
  action: async () => (await load()).backup
})

export const restore = command("restore", {
  description: "Verify a backup and restore it to an SQLite database and a folder of recordings that do not exist.",
  options: { ...storage, json, recordings: recordingsFolder },
  args: { folder: textArgument("folder", "Folder of the backup.") },
  action: async () => (await load()).restore
})
