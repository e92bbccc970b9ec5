import { AgentId, CallId, digestOf, MetricId, OrganizationId, ProjectId, type ProjectedCall } from "@earshot/core"
import { describe, expect, it } from "vitest"

const evaluation = (metricId: number, valueNumber: number) => ({
  metricId: MetricId.make(metricId),
  valueKind: "number" as const,
  valueNumber,
  valueText: null,
  answerLatenciesMs: [100, 200]
})

const call: ProjectedCall = {
  id: CallId.make(1),
  organizationId: OrganizationId.make(2),
  projectId: ProjectId.make(3),
  agentId: AgentId.make(4),
  timestampMs: 5,
  durationSeconds: 6.5,
  success: null,
  isReviewed: false,
  callId: "a",
  traceId: "",
  customerNumber: null,
  callEndedReason: "ended",
  dropoffPoint: null,
  topic: null,
  feedback: null,
  metadata: '{"a":1}',
  dynamicVariables: null,
  evaluations: [evaluation(1, 10), evaluation(2, 20)],
  version: 7
}

describe("the digest of a projected call", () => {
  it("is the same whatever the version, the order of its fields and that of its evaluations", () => {
    const { id, ...others } = call
    const same = { ...others, id, version: 8, evaluations: [...call.evaluations].reverse() }
    expect(digestOf(same)).toBe(digestOf(call))
    expect(digestOf(call)).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each<Partial<ProjectedCall>>([
    { id: CallId.make(2) },
    { organizationId: OrganizationId.make(9) },
    { timestampMs: 6 },
    { success: false },
    { durationSeconds: null },
    { customerNumber: "ended", callEndedReason: null },
    { metadata: null, dynamicVariables: '{"a":1}' },
    { evaluations: [evaluation(1, 10)] },
    { evaluations: [evaluation(1, 10), evaluation(2, 21)] },
    { evaluations: [evaluation(1, 10), { ...evaluation(2, 20), answerLatenciesMs: [200, 100] }] }
  ])("differs where the call does: %j", (change) => {
    expect(digestOf({ ...call, ...change })).not.toBe(digestOf(call))
  })
})
