import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { FolderId, OrganizationId, ProjectId } from "../kernel/Ids.js"

/** A folder for the evaluators of a project, with a dot-separated path. */
export class Folder extends Schema.Class<Folder>("@earshot/core/catalog/Folder")({
  id: FolderId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  path: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A folder in its wire form. */
export const encodeFolder = Schema.encodeSync(Folder)

/** The draft of a new folder; its parent must exist. Source: docs/evaluators.md. */
export const FolderDraft = Fields.object({ project: Fields.id(ProjectId), path: Fields.text() })

/** Renames or moves a folder with everything in it. */
export const FolderPatch = Fields.object({ path: Fields.optional(Fields.text()) })
