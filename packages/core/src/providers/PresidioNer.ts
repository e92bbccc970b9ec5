import { NerFailed, NerProvider, type TurnSpan } from "@earshot/redaction"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { fieldOfLabel } from "./NerLabels.js"
import { OutboundHttp } from "./OutboundHttp.js"

export interface PresidioNerConfig {
  /** The server's base address, for example `http://127.0.0.1:5002`; `/analyze` is appended. */
  readonly baseUrl: string
  /** The language of the texts, as the server is configured for it. Default: en. */
  readonly language?: string
  /** For one call with all its turns. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
}

const Entity = Schema.Struct({
  entity_type: Schema.String,
  start: Schema.Int,
  end: Schema.Int,
  score: Schema.Number
})
const Analysis = Schema.parseJson(Schema.Array(Entity))
type Entity = typeof Entity.Type

const MAX_RESPONSE = 4 * 1024 * 1024

/** Turns of a call that are analyzed at the same time. */
const CONCURRENCY = 8

/** Presidio counts code points; offsets of a text in UTF-16 code units by them. */
const unitsOf = (content: string): ReadonlyArray<number> => {
  const units: Array<number> = []
  let unit = 0
  for (const point of content) {
    units.push(unit)
    unit += point.length
  }
  units.push(unit)
  return units
}

/** The spans of a turn that an analysis names, in UTF-16 code units. */
export const spansOf = (content: string, turn: number, entities: ReadonlyArray<Entity>): ReadonlyArray<TurnSpan> => {
  const units = unitsOf(content)
  return entities.flatMap(({ end, entity_type, score, start }): ReadonlyArray<TurnSpan> => {
    const field = fieldOfLabel(entity_type)
    const from = units[start]
    const to = units[end]
    return field === undefined || from === undefined || to === undefined
      ? []
      : [
          {
            turn,
            start: from,
            end: to,
            field,
            score: Math.min(1, Math.max(0, score)),
            evidence: [`analyzer ${entity_type}`]
          }
        ]
  })
}

/**
 * A server with the interface of Presidio's analyzer (`POST /analyze`). A failure of the server fails the call: nothing is
 * stored that it was to look at.
 */
export const layer = (config: PresidioNerConfig): Layer.Layer<NerProvider, never, OutboundHttp> =>
  Layer.effect(
    NerProvider,
    Effect.map(OutboundHttp, (http) => {
      const { baseUrl, language = "en", timeout = "30 seconds" } = config
      const url = `${baseUrl.replace(/\/+$/, "")}/analyze`
      const totalMillis = Duration.toMillis(timeout)
      const analyze = (content: string, turn: number) =>
        content.trim() === ""
          ? Effect.succeed([])
          : http
              .send({
                url,
                method: "POST",
                headers: { accept: "application/json", "content-type": "application/json" },
                body: Buffer.from(JSON.stringify({ text: content, language })),
                limits: { maxBytes: MAX_RESPONSE, totalMillis },
                isTrusted: true
              })
              .pipe(
                Effect.filterOrFail(
                  ({ status }) => status === 200,
                  ({ status }) => `The analyzer answered HTTP ${status}.`
                ),
                Effect.flatMap(({ body }) => Schema.decode(Analysis)(body.toString())),
                Effect.map((entities) => spansOf(content, turn, entities))
              )
      return NerProvider.of({
        recognize: (turns) =>
          Effect.forEach(turns, analyze, { concurrency: CONCURRENCY }).pipe(
            Effect.map((spans) => spans.flat()),
            Effect.timeout(timeout),
            Effect.mapError(() => new NerFailed({ cause: "The analyzer did not return entities." }))
          )
      })
    })
  )
