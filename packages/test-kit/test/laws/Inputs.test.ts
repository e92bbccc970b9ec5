import {
  AgentDraft,
  ApiKeyDraft,
  DashboardDraft,
  Faults,
  judgeMetric,
  MetricDraft,
  metricSpecOf,
  PersonalityDraft,
  PhoneNumberDraft,
  ProjectDraft,
  readBulkUpdate,
  readEvaluator,
  ReviewPatch,
  ShareableLinkDraft,
  TestProfileDraft,
  TokenDraft,
  ToolDraft,
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

const judges: Readonly<Record<InputKit.SubjectName, Judge>> = {
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
