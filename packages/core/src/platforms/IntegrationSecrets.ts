/** The stored secrets of integrations, for what seals all stored secrets with another key. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MoreSealedSources, RESEALED_AT_A_TIME, type SealedRow, type SealedSource } from "../access/Resealing.js"
import type { OrganizationId } from "../kernel/Ids.js"
import { IntegrationStore, type StoredIntegration } from "./IntegrationStore.js"

/** What the secrets of an organization's integrations are sealed for. */
export const secretPurpose = (organizationId: OrganizationId): string => `integration/${organizationId}`

export const layer = Layer.effect(
  MoreSealedSources,
  Effect.map(IntegrationStore, (store): ReadonlyArray<SealedSource> => {
    const rowOf = (stored: StoredIntegration): SealedRow => {
      const { integration, sealedPrevious, sealedSecret } = stored
      const purpose = secretPurpose(integration.organizationId)
      const secrets = sealedPrevious === null ? [sealedSecret] : [sealedSecret, sealedPrevious]
      return {
        id: integration.id,
        secrets: secrets.map((sealed) => ({ purpose, sealed })),
        replace: ([secret = sealedSecret, previous]) => store.reseal(stored, secret, previous ?? null)
      }
    }
    return [
      {
        kind: "integration",
        list: (after) =>
          Effect.map(store.sealed(Number(after?.id ?? 0), RESEALED_AT_A_TIME), (found) => found.map(rowOf))
      }
    ]
  })
)
