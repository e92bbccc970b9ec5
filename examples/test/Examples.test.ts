import { readFile } from "node:fs/promises"
import {
  Agents,
  CurrentActor,
  Database,
  Engine,
  hostActor,
  JobRunner,
  Organizations,
  Results,
  Suites
} from "@earshot/core"
import * as OpenAiTextToSpeech from "@earshot/core/providers/OpenAiTextToSpeech"
import * as OpenAiTranscriber from "@earshot/core/providers/OpenAiTranscriber"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as bot from "../src/voice-bot.js"
import * as withEffect from "../src/embed-with-effect.js"
import * as mounted from "../src/mount-http.js"
import * as withPromises from "../src/embed-with-promises.js"

const linesOf = async (main: (print: (line: string) => void) => Promise<void>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  await main((line) => lines.push(line))
  return lines
}

describe("the examples", () => {
  it("embeds the engine with promises", async () => {
    expect(await linesOf(withPromises.main)).toEqual([
      "Stored call call-0001, length 00:05",
      "Calls from the north: call-0001",
      "Invalid fields: agent, transcript_type"
    ])
  })

  it("embeds the engine with Effect layers", async () => {
    const [data] = await linesOf(withEffect.main)
    expect(JSON.parse(data ?? "")).toMatchObject({
      chart_type: "pie",
      total: 3,
      series: [
        {
          points: [
            { label: "resolved", value: 2 },
            { label: "no-answer", value: 1 }
          ]
        }
      ]
    })
  })

  it("answers calls by voice", async () => {
    const lines: Array<string> = []
    const stop = await bot.main((line) => lines.push(line), 0)
    const urls = lines.map((line) => line.slice(line.lastIndexOf(": ") + 2))
    const [voiceUrl = "", speechUrl = ""] = urls
    const server = { baseUrl: speechUrl, model: "tones" }
    const engine = Engine.layerWith({
      allowHosts: ["127.0.0.1"],
      textToSpeech: OpenAiTextToSpeech.layer({ ...server, voice: "tones" }),
      transcriber: OpenAiTranscriber.layer(server)
    }).pipe(Layer.provide(Database.layer("sqlite::memory:")))
    const program = Effect.gen(function* () {
      const { agent, organization } = yield* (yield* Organizations).create({ name: "Harbor Grill" })
      const as = Effect.provideService(CurrentActor, hostActor(organization.id))
      yield* as((yield* Agents).update(agent.id, { voice_endpoint: { url: voiceUrl } }))
      const file = yield* Effect.promise(() =>
        readFile(new URL("../suites/booking-by-voice.yaml", import.meta.url), "utf8")
      )
      const suite = { file, agent_id: agent.id, scenario_keys: ["waits-1", "laughs-2"] }
      const { id } = yield* as((yield* Suites).run(suite))
      yield* (yield* JobRunner).drain
      const results = yield* Results
      const [, run] = (yield* as(results.listRuns({ result: id }))).results
      return { result: yield* as(results.read(id)), run: yield* as(results.readRun(run!.id)) }
    }).pipe(Effect.provide(engine))
    const { result, run } = await Effect.runPromise(Effect.ensuring(program, Effect.promise(stop)))
    expect(result).toMatchObject({ status: "completed", totalRuns: 2, success: true })
    expect(run.transcript.split("\n").map((line) => line.slice(line.indexOf("]") + 2))).toEqual([
      "Main Agent: Good evening.",
      "Testing Agent: A table.",
      "Main Agent: For which day?",
      "Testing Agent: Wait.",
      // The bot takes the silence for the end of the caller's turn.
      "Main Agent: For which day?",
      "Testing Agent: Monday.",
      "Main Agent: And your name?",
      "Testing Agent: This is Ann.",
      "Main Agent: Ann, your table is booked for Monday.",
      "Testing Agent: Bye."
    ])
  }, 60_000)

  it("mounts the server next to other routes", async () => {
    expect(await linesOf(mounted.main)).toEqual(["another page", "201 Created"])
  })
})
