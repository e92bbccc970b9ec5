/** The providers of names that the settings of redaction select; each is imported where it is used. */
import type { NerProvider } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { RedactionSettings } from "./Wiring.js"

/**
 * What finds names beside the rules of redaction. A model is loaded, until the scope closes; fails with why it cannot be
 * used.
 */
export const namedEntities = ({
  analyzerUrl,
  lexicon,
  model
}: Pick<RedactionSettings, "analyzerUrl" | "lexicon" | "model">): Effect.Effect<
  Layer.Layer<NerProvider>,
  string,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const {
      NerProvider: Provider,
      nerProviderAll,
      nerProviderLexicon
    } = yield* Effect.promise(() => import("@earshot/redaction"))
    const providers: Array<Layer.Layer<NerProvider>> = []
    if (lexicon !== undefined) providers.push(nerProviderLexicon(lexicon))
    if (analyzerUrl !== undefined) {
      const PresidioNer = yield* Effect.promise(() => import("@earshot/core/providers/PresidioNer"))
      const OutboundHttp = yield* Effect.promise(() => import("@earshot/core/providers/OutboundHttp"))
      providers.push(Layer.provide(PresidioNer.layer({ baseUrl: analyzerUrl }), OutboundHttp.layer()))
    }
    if (model !== undefined) {
      const OnnxNer = yield* Effect.promise(() => import("@earshot/core/providers/OnnxNer"))
      const provider = yield* Effect.mapError(OnnxNer.make({ folder: model }), ({ reason }) => reason)
      providers.push(Layer.succeed(Provider, provider))
    }
    return nerProviderAll(providers)
  })
