/**
 * The references of evaluators: as an input names them, as they were found, and their errors. Evaluators refer to entities
 * of their own project only, and to personalities that it has enabled.
 */
import type { PersonalityAvailability } from "../catalog/Personality.js"
import { type FieldErrors, fieldError, mergeFieldErrors, noFieldErrors, Messages } from "../kernel/FieldErrors.js"
import type {
  AgentId,
  FolderId,
  MetricId,
  PersonalityId,
  PhoneNumberId,
  ProjectId,
  TestProfileId,
  ToolId
} from "../kernel/Ids.js"

/** The references of an input, without missing, cleared and invalid ones. */
export interface ReferenceNames {
  readonly agent?: AgentId | undefined
  readonly project?: ProjectId | undefined
  readonly personality?: PersonalityId | undefined
  readonly testProfile?: TestProfileId | undefined
  readonly phoneNumbers: ReadonlyArray<PhoneNumberId | string>
  readonly metrics: ReadonlyArray<MetricId>
  readonly tools: ReadonlyArray<ToolId>
  readonly folderPath?: string | undefined
}

/** An entity that was found, with its project. */
export interface Found<Id extends number> {
  readonly id: Id
  readonly projectId: ProjectId
}

/** What was found of the references in the caller's scope. */
export interface References {
  /** The project that all of them have to belong to: the agent's, or else the one named; null without either. */
  readonly projectId: ProjectId | null
  readonly agent: Found<AgentId> | null
  readonly project: ProjectId | null
  readonly personality: PersonalityAvailability
  readonly testProfile: Found<TestProfileId> | null
  /** By id, or by the number's own text. */
  readonly phoneNumbers: ReadonlyMap<PhoneNumberId | string, Found<PhoneNumberId>>
  readonly metrics: ReadonlyMap<MetricId, Found<MetricId>>
  readonly tools: ReadonlyMap<ToolId, Found<ToolId>>
  /** The folder of the path; null for the root and where no path was given. */
  readonly folderId: FolderId | null
  /** The errors of the path, under its field. */
  readonly folderErrors: FieldErrors
}

/** The errors of one reference: it does not exist, or belongs to another project. */
export const referenceErrors = (
  field: string,
  named: number | string,
  found: Found<number> | null | undefined,
  projectId: ProjectId | null
): FieldErrors =>
  found === null || found === undefined
    ? fieldError(field, Messages.unknownId(named))
    : projectId !== null && found.projectId !== projectId
      ? fieldError(field, Messages.otherProject(found.id))
      : noFieldErrors

/** As `referenceErrors`, of a list of ids. */
export const referenceListErrors = <Id extends number>(
  field: string,
  ids: ReadonlyArray<Id>,
  found: ReadonlyMap<Id, Found<Id>>,
  projectId: ProjectId | null
): FieldErrors => {
  const messages = ids.flatMap((id) => referenceErrors(field, id, found.get(id), projectId)[field] ?? [])
  return messages.length === 0 ? noFieldErrors : fieldError(field, ...messages)
}

/** The errors of the fields `agent` and `project`. */
const projectAndAgentErrors = (names: ReferenceNames, found: References): FieldErrors =>
  mergeFieldErrors(
    names.project !== undefined && found.project === null
      ? fieldError("project", Messages.unknownId(names.project))
      : noFieldErrors,
    names.agent === undefined ? noFieldErrors : referenceErrors("agent", names.agent, found.agent, found.project)
  )

/** The errors of the references that create, update and bulk update share. */
export const sharedReferenceErrors = (names: ReferenceNames, found: References): FieldErrors =>
  mergeFieldErrors(
    projectAndAgentErrors(names, found),
    names.personality === undefined || found.personality === "enabled"
      ? noFieldErrors
      : fieldError(
          "personality",
          found.personality === "unknown"
            ? Messages.unknownId(names.personality)
            : `The personality ${names.personality} is not enabled for this project.`
        ),
    names.testProfile === undefined
      ? noFieldErrors
      : referenceErrors("test_profile", names.testProfile, found.testProfile, found.projectId),
    found.folderErrors
  )

/** The number to call from, in either of its fields: `phone_number` or the deprecated `inbound_phone_number`. */
export interface PhoneNumberNames {
  /** Undefined where missing, null to clear it. */
  readonly phoneNumber: PhoneNumberId | string | null | undefined
  readonly inboundPhoneNumber: PhoneNumberId | string | null | undefined
}

/** The two fields with their values. */
const phoneNumberFields = (names: PhoneNumberNames) =>
  [
    ["phone_number", names.phoneNumber],
    ["inbound_phone_number", names.inboundPhoneNumber]
  ] as const

export const namedPhoneNumbers = (names: PhoneNumberNames): ReadonlyArray<PhoneNumberId | string> =>
  phoneNumberFields(names).flatMap(([, named]) => (named === undefined || named === null ? [] : [named]))

/** The errors of the two fields; they are kept in sync, so they may not differ. */
export const phoneNumberErrors = (names: PhoneNumberNames, found: References): FieldErrors => {
  const own = phoneNumberFields(names).map(([field, named]) =>
    named === undefined || named === null
      ? noFieldErrors
      : referenceErrors(field, named, found.phoneNumbers.get(named), found.projectId)
  )
  const [one, other] = phoneNumberFields(names).map(([, named]) =>
    named === undefined ? undefined : named === null ? null : found.phoneNumbers.get(named)?.id
  )
  return mergeFieldErrors(
    ...own,
    one !== undefined && other !== undefined && one !== other
      ? fieldError("inbound_phone_number", "Must be the same as phone_number.")
      : noFieldErrors
  )
}

/** The number given in either field; undefined where neither was given. */
export const givenPhoneNumber = (names: PhoneNumberNames, found: References): PhoneNumberId | null | undefined => {
  const named = names.phoneNumber === undefined ? names.inboundPhoneNumber : names.phoneNumber
  return named === undefined ? undefined : named === null ? null : (found.phoneNumbers.get(named)?.id ?? null)
}
