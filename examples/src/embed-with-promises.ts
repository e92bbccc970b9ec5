/**
 * Embeds the engine in a Node program without Effect, stores a production call and finds it by a filter.
 *
 *     node examples/dist/embed-with-promises.js
 */
import { pathToFileURL } from "node:url"
import { hostActor, ValidationFailed } from "@earshot/core"
import { createEngine } from "@earshot/core/promise"

export const main = async (print: (line: string) => void, database = "sqlite::memory:"): Promise<void> => {
  const engine = await createEngine({ database })
  try {
    const { agent, organization } = await engine.organizations.create({ name: "Harbor Dental" })
    const actor = hostActor(organization.id)

    const { call, created } = await engine.calls.ingest(
      {
        call_id: "call-0001",
        agent: agent.id,
        call_ended_reason: "customer-ended-call",
        metadata: { region: "north" },
        transcript_json: [
          { role: "Main Agent", content: "Harbor Dental, how can I help?", start_time: 0.4, end_time: 2.1 },
          { role: "Testing Agent", content: "I would like to move my appointment.", start_time: 2.9, end_time: 5.2 }
        ]
      },
      { actor }
    )
    print(`${created ? "Stored" : "Updated"} call ${call.call_id}, length ${call.duration}`)

    const found = await engine.calls.list(
      { filters_v2: { field: "metadata.region", op: "eq", value: "north" } },
      { actor }
    )
    print(`Calls from the north: ${found.results.map(({ call_id }) => call_id).join(", ")}`)

    try {
      await engine.calls.ingest({ call_id: "call-0002", agent: 999, transcript_type: "morse" }, { actor })
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error
      print(`Invalid fields: ${Object.keys(error.errors).sort().join(", ")}`)
    }
  } finally {
    await engine.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(console.log)
