import { AgentId, ProjectId, Tracing } from "@earshot/core"
import { Properties } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { appliesTo, dueAfter } from "../../src/traces/TraceRules.js"

const { expectEqual, expectOrdered, property } = Properties

/** Few ids, so that projects and agents have the same numbers. */
const id = fc.integer({ min: 1, max: 3 })
const scope = fc.record({ type: fc.constantFrom("project" as const, "agent" as const, "dashboard" as const), id })

describe("rules of traces", () => {
  for (const { check, name } of [
    property(
      "the fields of an integration apply to its agent, to agents of its project, and before the agent is known to whatever may be of it",
      [fc.option(id), id, fc.option(fc.record({ id, project: id })), fc.option(fc.array(scope, { maxLength: 3 }))],
      (agentId, projectId, agent, bounds) => {
        const integration = {
          agentId: agentId === null ? null : AgentId.make(agentId),
          projectId: ProjectId.make(projectId)
        }
        const known =
          agent === null ? undefined : { id: AgentId.make(agent.id), projectId: ProjectId.make(agent.project) }
        const isWithin = (bounds ?? []).some(
          (one) =>
            (one.type === "project" && one.id === projectId) ||
            // The integration is of every agent of its project, and which project an agent's scope is in is not known here.
            (one.type === "agent" && (agentId === null || one.id === agentId))
        )
        const expected =
          agent === null
            ? bounds === null || isWithin
            : agentId === null
              ? agent.project === projectId
              : agent.id === agentId
        expectEqual("whether it applies", appliesTo(integration, known, { bounds }), expected)
      }
    ),
    property(
      "a call is stored after the last spans: soon if its end is known or it is stored, otherwise once it is quiet",
      [
        fc.constantFrom(...Tracing.TraceState.literals),
        fc.option(fc.integer({ min: -50, max: 50 })),
        fc.boolean(),
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 40 })
      ],
      (state, due, endsCall, settle, longer) => {
        const [now, quiet] = [1_000, settle + longer]
        const stored = { dueMillis: due === null ? null : now + due, trace: { state } }
        const at = dueAfter(stored, endsCall, now, { quiet, settle })
        const isSoon = endsCall || state === "stored" || (due !== null && due <= settle)
        expectEqual("the time", at, now + (isSoon ? settle : quiet))
        expectOrdered("the time", at, ">=", now + settle)
      }
    )
  ])
    it(name, check)
})
