/**
 * What evaluators refer to, as an input names it and as it was found, and what is wrong with it. A project's evaluators
 * use that project's things alone, and the personalities that it has enabled.
 */
import type { PersonalityStanding } from "../catalog/Personality.js"
import { type Faults, fault, mergeFaults, noFaults, Messages } from "../kernel/Faults.js"
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

/** What an input names; what it leaves out, clears, or could not be read, is not there. */
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

/** Something that was found, in its project. */
export interface Found<Id extends number> {
  readonly id: Id
  readonly projectId: ProjectId
}

/** What of it was found within the caller's reach. */
export interface References {
  /** The project that all of it is to lie in: the agent's, or else the one that was named; null where neither is there. */
  readonly projectId: ProjectId | null
  readonly agent: Found<AgentId> | null
  readonly project: ProjectId | null
  readonly personality: PersonalityStanding
  readonly testProfile: Found<TestProfileId> | null
  /** By id, or by the number's own text. */
  readonly phoneNumbers: ReadonlyMap<PhoneNumberId | string, Found<PhoneNumberId>>
  readonly metrics: ReadonlyMap<MetricId, Found<MetricId>>
  readonly tools: ReadonlyMap<ToolId, Found<ToolId>>
  /** The folder of the path, null for the root and where none was asked for. */
  readonly folderId: FolderId | null
  /** What is wrong with the path, keyed as the field is. */
  readonly folderFaults: Faults
}

/** What is wrong with one thing that a field names: it is not there, or not in the project. */
export const foundFaults = (
  field: string,
  named: number | string,
  found: Found<number> | null | undefined,
  projectId: ProjectId | null
): Faults =>
  found === null || found === undefined
    ? fault(field, Messages.unknownId(named))
    : projectId !== null && found.projectId !== projectId
      ? fault(field, Messages.otherProject(found.id))
      : noFaults

/** The same of a list of ids. */
export const allFoundFaults = <Id extends number>(
  field: string,
  ids: ReadonlyArray<Id>,
  found: ReadonlyMap<Id, Found<Id>>,
  projectId: ProjectId | null
): Faults => {
  const said = ids.flatMap((id) => foundFaults(field, id, found.get(id), projectId)[field] ?? [])
  return said.length === 0 ? noFaults : fault(field, ...said)
}

/** What is wrong with what the fields `agent` and `project` name. */
export const scopeFaults = (names: ReferenceNames, found: References): Faults =>
  mergeFaults(
    names.project !== undefined && found.project === null ? fault("project", Messages.unknownId(names.project)) : noFaults,
    names.agent === undefined ? noFaults : foundFaults("agent", names.agent, found.agent, found.project)
  )

/** What is wrong with what the fields that create, patch and bulk update share name. */
export const sharedReferenceFaults = (names: ReferenceNames, found: References): Faults =>
  mergeFaults(
    scopeFaults(names, found),
    names.personality === undefined || found.personality === "enabled"
      ? noFaults
      : fault(
          "personality",
          found.personality === "unknown"
            ? Messages.unknownId(names.personality)
            : `The personality ${names.personality} is not enabled for this project.`
        ),
    names.testProfile === undefined
      ? noFaults
      : foundFaults("test_profile", names.testProfile, found.testProfile, found.projectId),
    found.folderFaults
  )

/** An outbound number as inputs name it: `phone_number`, or the deprecated `inbound_phone_number`. */
export interface NumberNames {
  /** Undefined where it was left out, null where it clears. */
  readonly phoneNumber: PhoneNumberId | string | null | undefined
  readonly inboundPhoneNumber: PhoneNumberId | string | null | undefined
}

/** The fields of it, each with what it names. */
const numberFields = (names: NumberNames) =>
  [
    ["phone_number", names.phoneNumber],
    ["inbound_phone_number", names.inboundPhoneNumber]
  ] as const

export const numbersNamed = (names: NumberNames): ReadonlyArray<PhoneNumberId | string> =>
  numberFields(names).flatMap(([, named]) => (named === undefined || named === null ? [] : [named]))

/** What is wrong with the two fields; they are kept in sync, so that two different numbers are one too many. */
export const numberFaults = (names: NumberNames, found: References): Faults => {
  const own = numberFields(names).map(([field, named]) =>
    named === undefined || named === null
      ? noFaults
      : foundFaults(field, named, found.phoneNumbers.get(named), found.projectId)
  )
  const [one, other] = numberFields(names).map(([, named]) =>
    named === undefined ? undefined : named === null ? null : found.phoneNumbers.get(named)?.id
  )
  return mergeFaults(
    ...own,
    one !== undefined && other !== undefined && one !== other
      ? fault("inbound_phone_number", "Must be the same as phone_number, which it is kept in sync with.")
      : noFaults
  )
}

/** The number that is meant: undefined where neither field was given. */
export const numberMeant = (names: NumberNames, found: References): PhoneNumberId | null | undefined => {
  const named = names.phoneNumber === undefined ? names.inboundPhoneNumber : names.phoneNumber
  return named === undefined ? undefined : named === null ? null : (found.phoneNumbers.get(named)?.id ?? null)
}
