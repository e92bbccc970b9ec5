/** The query parameters of call lists and exports. */
import type * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Filter } from "../filters/Filter.js"
import * as ParseFilter from "../filters/ParseFilter.js"
import {
  decode,
  type FieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  underPath,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { callExpand, type CallExpansions, nothingExpanded } from "./ListedCall.js"

/** Which calls to list. */
export interface CallCriteria {
  readonly filter: Filter
  readonly agentId: AgentId | undefined
  readonly projectId: ProjectId | undefined
  /** Base of relative times in the filter. */
  readonly now: DateTime.Utc
}

/** The query parameters that say which calls. */
export const selectionFields = {
  /** JSON text or an object; see `filters/ParseFilter`. */
  filters_v2: Fields.optional(Schema.Unknown),
  agent_id: Fields.optional(Fields.id(AgentId)),
  project: Fields.optional(Fields.id(ProjectId))
}

export const CallQuery = Fields.object({ ...Pages.PageQuery.fields, ...selectionFields, expand: callExpand })

const decodeQuery = decode(CallQuery)

const parseFilter = (input: unknown): Either.Either<Filter, FieldErrors> =>
  Either.mapLeft(
    typeof input === "object" ? ParseFilter.parse(input, ParseFilter.QUERY_LIMITS) : ParseFilter.parseText(input),
    (errors) => underPath("filters_v2", errors)
  )

const Selection = Schema.Struct(selectionFields)

/** The criteria of a query's selection, or the errors of its filter. */
export const callCriteria = (
  { agent_id, filters_v2, project }: typeof Selection.Type,
  now: DateTime.Utc
): Either.Either<CallCriteria, FieldErrors> =>
  Either.map(parseFilter(filters_v2), (filter) => ({ filter, agentId: agent_id, projectId: project, now }))

export interface ParsedCallQuery {
  readonly criteria: CallCriteria
  readonly page: Pages.PageRequest
  readonly expand: CallExpansions
}

/** The criteria, the page and the expansions of a query, or all of its field errors. */
export const parseCallQuery = (query: unknown, now: DateTime.Utc): Either.Either<ParsedCallQuery, ValidationFailed> =>
  Either.gen(function* () {
    const decoded = yield* decodeQuery(query)
    const criteria = callCriteria(decoded, now)
    const page = Pages.pageRequest(decoded)
    const errors = mergeFieldErrors(
      Either.match(criteria, { onLeft: (found) => found, onRight: () => noFieldErrors }),
      Either.match(page, { onLeft: (found) => found, onRight: () => noFieldErrors })
    )
    return yield* Either.isRight(criteria) && Either.isRight(page)
      ? Either.right({
          criteria: criteria.right,
          page: page.right,
          expand: decoded.expand ?? nothingExpanded
        })
      : Either.left(errors)
  }).pipe(Either.mapLeft((errors) => new ValidationFailed({ errors })))
