import {
  AgentDraft,
  ApiKeyDraft,
  BulkDeleteInput,
  CheckoutDraft,
  ClaimInput,
  CodeConnectionDraft,
  CompleteInput,
  DashboardDraft,
  DashboardPatch,
  DeleteRunsInput,
  FailInput,
  FieldErrors,
  FolderDraft,
  HeartbeatInput,
  validateMetric,
  makeIngestValidator,
  MetricDraft,
  metricSpecOf,
  PersonalityDraft,
  PhoneNumberDraft,
  ProjectDraft,
  parseBulkUpdate,
  parseEnableRequest,
  parseEvaluatorInput,
  parseSuiteRequest,
  ReviewPatch,
  ShareableLinkDraft,
  SimplificationDraft,
  TestProfileDraft,
  TokenDraft,
  ToolDraft,
  TranscriptFormat,
  UserDraft
} from "@earshot/core"
import { InputKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { describe, it } from "vitest"

type Validate = (input: unknown) => ReadonlyArray<string>

const decoding =
  <A, I>(schema: Schema.Schema<A, I>): Validate =>
  (input) =>
    Either.match(FieldErrors.decode(schema)(input), { onLeft: Object.keys, onRight: () => [] })

const validateCall = makeIngestValidator({
  formats: TranscriptFormat.builtIn,
  transcribes: false,
  maxRecordingBytes: 1_000_000
})

const validators: Readonly<Record<InputKit.SubjectName, Validate>> = {
  call: (input) =>
    Either.match(validateCall(input), { onLeft: ({ errors: errors }) => Object.keys(errors), onRight: () => [] }),
  enable_personalities: (input) => Object.keys(parseEnableRequest(input).errors),
  bulk_delete: decoding(BulkDeleteInput),
  delete_runs: decoding(DeleteRunsInput),
  suite_request: (input) => {
    const { errors: errors, suite } = parseSuiteRequest(input)
    return Object.keys({ ...errors, ...suite?.errors })
  },
  claim: decoding(ClaimInput),
  heartbeat: decoding(HeartbeatInput),
  complete: decoding(CompleteInput),
  fail: decoding(FailInput),
  checkout: decoding(CheckoutDraft),
  simplification: decoding(SimplificationDraft),
  project: decoding(ProjectDraft),
  agent: decoding(AgentDraft),
  personality: decoding(PersonalityDraft),
  test_profile: decoding(TestProfileDraft),
  phone_number: decoding(PhoneNumberDraft),
  tool: decoding(ToolDraft),
  metric: (input) =>
    Either.match(FieldErrors.decode(MetricDraft)(input), {
      onLeft: Object.keys,
      onRight: (draft) => Object.keys(validateMetric(metricSpecOf(draft)))
    }),
  evaluator: (input) => Object.keys(parseEvaluatorInput(null, input).errors),
  bulk_update: (input) => Object.keys(parseBulkUpdate(input).errors),
  dashboard: decoding(DashboardDraft),
  dashboard_patch: decoding(DashboardPatch),
  folder: decoding(FolderDraft),
  code_connection: decoding(CodeConnectionDraft),
  review: decoding(ReviewPatch),
  api_key: decoding(ApiKeyDraft),
  token: decoding(TokenDraft),
  shareable_link: decoding(ShareableLinkDraft),
  user: decoding(UserDraft)
}

describe("inputs", () => {
  for (const [subjectName, subject] of Object.entries(InputKit.subjects)) {
    const validate = validators[subjectName as InputKit.SubjectName]
    for (const { check, name } of InputKit.inputProperties(subjectName, subject, validate)) it(name, check, 600_000)
  }
})
