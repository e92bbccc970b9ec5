import * as OnnxNer from "@earshot/core/providers/OnnxNer"
import { NerProvider, sensitiveFields } from "@earshot/redaction"
import { ProviderKit } from "@earshot/test-kit"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, describe } from "vitest"

const root = mkdtempSync(path.join(tmpdir(), "earshot-onnx-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const labels = ["O", "B-PER", "I-PER", "B-CITY", "B-MISC"]
const tokens = {
  ravi: 1,
  dub: 2,
  "##ey": 0,
  pune: 3,
  mumbai: 3,
  widget: 4,
  my: 0,
  name: 0,
  is: 0,
  from: 0,
  ".": 0,
  "-": 2
}

const model = (name: string, given: Partial<ProviderKit.TokenModel> = {}): string => {
  const folder = path.join(root, name)
  ProviderKit.writeTokenModel(folder, { labels, tokens, ...given })
  return folder
}

const recognize = (folder: string, turns: ReadonlyArray<string>, more: Partial<OnnxNer.OnnxNerConfig> = {}) =>
  Effect.flatMap(NerProvider, (ner) => ner.recognize(turns, sensitiveFields)).pipe(
    Effect.provide(OnnxNer.layer({ folder, ...more }))
  )

/** What was found, as text. */
const found = (folder: string, turns: ReadonlyArray<string>) =>
  Effect.map(recognize(folder, turns), (spans) =>
    spans.map(({ end, field, start, turn }) => [turn, field, turns[turn]?.slice(start, end)])
  )

const bert = model("bert")
const loaded = ManagedRuntime.make(OnnxNer.layer({ folder: bert }))
afterAll(() => loaded.dispose())

ProviderKit.nerProviderContract("a model in ONNX", {
  provider: Layer.effect(
    NerProvider,
    Effect.promise(() => loaded.runPromise(NerProvider))
  ),
  finds: { turn: "My name is Ravi.", field: "person_name", value: "Ravi" }
})

describe("a model in ONNX", () => {
  const folder = bert

  it.live("finds values by turn: words of several tokens, joined by sign and space, in UTF-16 code units", () =>
    Effect.gen(function* () {
      expect(
        yield* found(folder, ["👋 My name is Ravi Dubey from PUNE.", "", "Ravi-dubey, Ravi. Mumbai Pune widget"])
      ).toEqual([
        [0, "person_name", "Ravi Dubey"],
        [0, "location", "PUNE"],
        [2, "person_name", "Ravi-dubey"],
        [2, "person_name", "Ravi"],
        // Each begins a value.
        [2, "location", "Mumbai"],
        [2, "location", "Pune"]
      ])
    })
  )

  it.live("states the probability of the class and the name of the entity", () =>
    Effect.gen(function* () {
      const [span] = yield* recognize(folder, ["from pune"])
      const likely = Math.exp(4) / (Math.exp(4) + 4)
      expect(span).toMatchObject({ turn: 0, start: 5, end: 9, field: "location", evidence: ["model CITY"] })
      expect(span?.score).toBeCloseTo(likely, 5)
    })
  )

  it.live("finds only what is asked for", () =>
    Effect.gen(function* () {
      const ner = yield* NerProvider
      expect(yield* ner.recognize(["Ravi from Pune"], ["location"])).toMatchObject([{ field: "location" }])
    }).pipe(Effect.provide(OnnxNer.layer({ folder })))
  )

  it.live("reads turns that are longer than its window", () =>
    Effect.gen(function* () {
      const turn = Array.from({ length: 120 }, (_, i) => (i % 10 === 7 ? "Pune" : "from")).join(" ")
      const spans = yield* found(folder, [turn, `${"x".repeat(5000)} ravi`])
      expect(spans).toEqual([...Array.from({ length: 12 }, () => [0, "location", "Pune"]), [1, "person_name", "ravi"]])
    })
  )

  it.live("is read by the inputs that it has, and by labels that are given", () =>
    Effect.gen(function* () {
      const other = model("distil", { inputs: ["input_ids", "attention_mask"] })
      const spans = yield* recognize(other, ["a widget"], { labels: { MISC: "vehicle_id" } })
      expect(spans).toMatchObject([{ field: "vehicle_id", start: 2, end: 8 }])
    })
  )

  it.live("that takes too long fails the call", () =>
    Effect.gen(function* () {
      const ner = yield* NerProvider
      const endless = Array.from({ length: 20_000 }, () => "from pune ".repeat(50))
      expect(yield* Effect.flip(ner.recognize(endless, sensitiveFields))).toMatchObject({
        _tag: "NerFailed",
        cause: "The model took too long."
      })
    }).pipe(Effect.provide(OnnxNer.layer({ folder, timeout: "100 millis" })))
  )
})

describe("a model that cannot be used is refused when the engine starts", () => {
  const reasonOf = (folder: string) => Effect.map(Effect.flip(recognize(folder, [])), ({ message }) => message)

  it.live("without its files", () =>
    Effect.gen(function* () {
      expect(yield* reasonOf(path.join(root, "none"))).toBe(`${path.join(root, "none", "config.json")} cannot be read.`)
      const folder = model("bare")
      rmSync(path.join(folder, "tokenizer.json"))
      expect(yield* reasonOf(folder)).toBe(`${path.join(folder, "tokenizer.json")} cannot be read.`)
      rmSync(path.join(folder, "onnx"), { recursive: true })
      expect(yield* reasonOf(folder)).toBe(`${folder} has no model.onnx.`)
      writeFileSync(path.join(folder, "config.json"), "{}")
      expect(yield* reasonOf(folder)).toBe(
        `${path.join(folder, "config.json")} has no id2label with names of entities.`
      )
    })
  )

  it.live("with weights that are none, of other classes or with other inputs, or without known entities", () =>
    Effect.gen(function* () {
      const broken = model("broken")
      writeFileSync(path.join(broken, "onnx", "model.onnx"), "nothing")
      expect(yield* reasonOf(broken)).toContain("cannot be used.")
      expect(yield* reasonOf(model("classes", { classes: 3 }))).toContain("Its output has the dimensions 1 x 3 x 3")
      expect(yield* reasonOf(model("inputs", { inputs: ["input_ids", "pixels"] }))).toContain(
        "It has an unknown input: pixels."
      )
      expect(yield* reasonOf(model("unknown", { labels: ["O", "A", "B", "C", "D"] }))).toContain(
        "none of the model's entities is known"
      )
    })
  )
})
