import assert from "node:assert/strict"
import { Calls } from "@earshot/core"
import { fakeLanguageModel, startEngine } from "@earshot/test-kit/plain"
import * as Effect from "effect/Effect"
import { it as test } from "vitest"

test("a call is stored with its time of arrival", async () => {
  const model = fakeLanguageModel(() => ({ value: true, explanation: "The agent said it." }))
  const engine = await startEngine({ now: "2026-03-31T10:00:00Z", ports: { languageModel: model.layer } })
  try {
    const { actor, agent } = await engine.fixture()
    engine.clock.advance("1 hour")
    const body = { call_id: "1", agent: agent.id }
    const { call } = await engine.as(actor)(Effect.flatMap(Calls, (calls) => calls.ingest(body)))
    assert.equal(call.createdAt.epochMillis, Date.parse("2026-03-31T11:00:00Z"))
    assert.deepEqual(model.asked, [])
  } finally {
    await engine.stop()
  }
})
