import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { FolderId, OrganizationId, ProjectId } from "../kernel/Ids.js"

/** A place for evaluators of a project, under a dot-separated path. */
export class Folder extends Schema.Class<Folder>("@earshot/core/catalog/Folder")({
  id: FolderId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  path: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A folder as it travels. */
export const encodeFolder = Schema.encodeSync(Folder)

/** What creates a folder; its parent must be there. Source: design, section 7. */
export const FolderDraft = Fields.object({ project: Fields.id(ProjectId), path: Fields.text() })

/** What renames or moves a folder, with all that lies in it. */
export const FolderPatch = Fields.object({ path: Fields.optional(Fields.text()) })
