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
  Faults,
  FolderDraft,
  HeartbeatInput,
  judgeMetric,
  makeIngestJudge,
  MetricDraft,
  metricSpecOf,
  PersonalityDraft,
  PhoneNumberDraft,
  ProjectDraft,
  readBulkUpdate,
  readEnableRequest,
  readEvaluator,
  readSuiteRequest,
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

type Judge = (input: unknown) => ReadonlyArray<string>

const decoding =
  <A, I>(schema: Schema.Schema<A, I>): Judge =>
  (input) =>
    Either.match(Faults.decode(schema)(input), { onLeft: Object.keys, onRight: () => [] })

const judgeCall = makeIngestJudge({
  formats: TranscriptFormat.builtIn,
  transcribes: false,
  maxRecordingBytes: 1_000_000
})

const judges: Readonly<Record<InputKit.SubjectName, Judge>> = {
  call: (input) => Either.match(judgeCall(input), { onLeft: ({ faults }) => Object.keys(faults), onRight: () => [] }),
  enable_personalities: (input) => Object.keys(readEnableRequest(input).faults),
  bulk_delete: decoding(BulkDeleteInput),
  delete_runs: decoding(DeleteRunsInput),
  suite_request: (input) => {
    const { faults, suite } = readSuiteRequest(input)
    return Object.keys({ ...faults, ...suite?.faults })
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
    Either.match(Faults.decode(MetricDraft)(input), {
      onLeft: Object.keys,
      onRight: (draft) => Object.keys(judgeMetric(metricSpecOf(draft)))
    }),
  evaluator: (input) => Object.keys(readEvaluator(null, input).faults),
  bulk_update: (input) => Object.keys(readBulkUpdate(input).faults),
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
  for (const [name, subject] of Object.entries(InputKit.subjects)) {
    const judge = judges[name as InputKit.SubjectName]
    for (const { check, says } of InputKit.inputLaws(name, subject, judge)) it(says, check, 600_000)
  }
})
