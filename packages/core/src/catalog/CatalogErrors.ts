import * as Schema from "effect/Schema"

/** The organization has this phone number already. */
export class NumberTaken extends Schema.TaggedError<NumberTaken>("@earshot/core/catalog/NumberTaken")("NumberTaken", {
  number: Schema.String
}) {}

/** The project has a folder of this path already. */
export class FolderTaken extends Schema.TaggedError<FolderTaken>("@earshot/core/catalog/FolderTaken")("FolderTaken", {
  path: Schema.String
}) {}
