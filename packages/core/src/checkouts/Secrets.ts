import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  MoreSealedSources,
  RESEALED_AT_A_TIME,
  reseal,
  type SealedRow,
  type SealedSource,
  type SecretsReport
} from "../access/Resealing.js"
import { SecretBox, SecretKeyMissing } from "../access/SecretBox.js"
import { SigningKeys } from "../access/SigningKeys.js"
import { Agents } from "../catalog/Agents.js"
import type { StorageError } from "../kernel/Storage.js"
import { CodeConnectionStore, type SealedSecret } from "./CodeConnectionStore.js"
import { handlePurpose, secretPurpose } from "./Vault.js"

/**
 * Every secret that is sealed in the database: signing keys of tokens, headers of chat endpoints, secrets of connections
 * to code hosts, handles of checkouts, and secrets of integrations. Operator functions: no actor is checked.
 */
export class Secrets extends Context.Tag("@earshot/core/checkouts/Secrets")<
  Secrets,
  {
    /** How many secrets are sealed with which key; changes nothing. */
    readonly examine: Effect.Effect<SecretsReport, SecretKeyMissing | StorageError>
    /**
     * Seals every secret with the current key. Unless some are lost, older keys are not needed from then on. It may be
     * interrupted and run again.
     */
    readonly reseal: Effect.Effect<SecretsReport, SecretKeyMissing | StorageError>
  }
>() {}

export const layer = Layer.effect(
  Secrets,
  Effect.gen(function* () {
    const box = yield* SecretBox
    const store = yield* CodeConnectionStore
    const agents = yield* Agents
    const signingKeys = yield* SigningKeys

    const ofCheckouts = (of: SealedSecret["of"], kind: string): SealedSource => ({
      kind,
      list: (after) =>
        Effect.map(store.sealed(of, Number(after?.id ?? 0), RESEALED_AT_A_TIME), (found) =>
          found.map((secret): SealedRow => {
            const purpose = (of === "connection" ? secretPurpose : handlePurpose)(secret.organizationId)
            return {
              id: secret.id,
              secrets: [{ purpose, sealed: secret.sealed }],
              replace: ([sealed = secret.sealed]) => store.reseal(secret, sealed)
            }
          })
        )
    })

    const more = yield* MoreSealedSources
    const sources = [
      signingKeys.sealed,
      agents.sealed,
      ofCheckouts("connection", "code connection"),
      ofCheckouts("grant", "checkout"),
      ...more
    ]
    const run = (write: boolean) =>
      Option.match(box, {
        onNone: () => new SecretKeyMissing({ why: "none-configured" }),
        onSome: (sealing) => reseal(sealing, sources, write)
      })

    return Secrets.of({ examine: run(false), reseal: run(true) })
  })
)
