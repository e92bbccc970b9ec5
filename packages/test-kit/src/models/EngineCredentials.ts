import {
  type Actor,
  ApiKeyId,
  ApiKeys,
  Credentials,
  type Engine,
  type Operation,
  ShareableLinkId,
  ShareableLinks,
  Tokens
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestEngine from "../TestEngine.js"
import type { Action, CredentialDoor, Made, ModelKind } from "./CredentialModel.js"

const operations: Readonly<Record<Action, Operation>> = {
  "list dashboards": "dashboards.list",
  "create a dashboard": "dashboards.create",
  "list calls": "calls.list",
  "ingest a call": "calls.ingest",
  "list keys": "access.listApiKeys"
}

const carried = (kind: ModelKind, secret: string) =>
  kind === "api_key" ? { apiKey: secret } : kind === "shareable_link" ? { shareableLink: secret } : { bearer: secret }

/** An engine in this process, and somebody there who may do everything. */
export const engineCredentialDoor = (
  run: <A>(steps: Effect.Effect<A, unknown, Engine.Services>) => Promise<A>,
  actor: Actor,
  project: number
): CredentialDoor => {
  const as = TestEngine.as(actor)
  const bounds = [{ type: "project", id: project }]
  const made = (secret: Redacted.Redacted, name: Made["name"]): Made => ({ secret: Redacted.value(secret), name })
  return {
    make: (kind, permissions) => {
      switch (kind) {
        case "api_key":
          return run(
            Effect.flatMap(ApiKeys, (keys) =>
              as(keys.create({ name: "Walk", scopes: permissions })).pipe(
                Effect.map(({ key, secret }) => made(secret, key.id))
              )
            )
          )
        case "shareable_link":
          return run(
            Effect.flatMap(ShareableLinks, (links) =>
              as(links.create({ name: "Walk", bounds, permissions })).pipe(
                Effect.map(({ link, secret }) => made(secret, link.id))
              )
            )
          )
        default:
          return run(
            Effect.flatMap(Tokens, (tokens) =>
              as(tokens.issue({ kind, permissions, bounds: kind === "embedded_session" ? bounds : null })).pipe(
                Effect.map(({ jti, token }) => made(token, jti))
              )
            )
          )
      }
    },
    revoke: (kind, { name }) => {
      switch (kind) {
        case "api_key":
          return run(Effect.flatMap(ApiKeys, (keys) => as(keys.revoke(ApiKeyId.make(Number(name))))))
        case "shareable_link":
          return run(Effect.flatMap(ShareableLinks, (links) => as(links.revoke(ShareableLinkId.make(Number(name))))))
        default:
          return run(Effect.flatMap(Tokens, (tokens) => as(tokens.revoke({ jti: name }))))
      }
    },
    attempt: (kind, secret, action) =>
      run(
        Effect.flatMap(Credentials, ({ admit }) =>
          admit(operations[action], carried(kind, secret)).pipe(
            Effect.as("let in" as const),
            Effect.catchTags({
              Unauthenticated: () => Effect.succeed("unauthenticated" as const),
              Forbidden: () => Effect.succeed("forbidden" as const)
            })
          )
        )
      )
  }
}
