import {
  type Actor,
  ApiKeys,
  Credentials,
  type CurrentActor,
  type Engine,
  Forbidden,
  ShareableLinks,
  Tokens,
  ValidationFailed,
  untrusted
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { PlainEngine } from "../PlainEngine.js"
import type { Fixture } from "../TestEngine.js"
import type { CredentialIssuer, CredentialFixture, IssueAnswer, Wanted } from "./CredentialProperties.js"

const issue = ({
  bounds,
  kind,
  permissions,
  seconds
}: Wanted): Effect.Effect<IssueAnswer, unknown, Engine.Services | CurrentActor> =>
  Effect.gen(function* () {
    const now = yield* DateTime.now
    const expires_at = seconds === null ? null : DateTime.formatIso(DateTime.add(now, { seconds }))
    switch (kind) {
      case "api_key": {
        const { secret } = yield* (yield* ApiKeys).create({ name: "Property", scopes: permissions, expires_at })
        return { presented: { apiKey: Redacted.value(secret) } }
      }
      case "shareable_link": {
        const { secret } = yield* (yield* ShareableLinks).create(
          untrusted({ name: "Property", permissions, bounds, expires_at })
        )
        return { presented: { shareableLink: Redacted.value(secret) } }
      }
      default: {
        const ttl = seconds === null ? {} : { ttl: seconds }
        const { token } = yield* (yield* Tokens).issue({ kind, permissions, bounds, ...ttl })
        return { presented: { bearer: Redacted.value(token) } }
      }
    }
  })

/** Two new organizations of an engine in this process, for `credentialProperties`. */
export const engineCredentialFixture = async (engine: PlainEngine): Promise<CredentialFixture> => {
  const issuerOf = ({ actor, agent, project }: Fixture): CredentialIssuer => ({
    project: project.id,
    agent: agent.id,
    issue: (issuer, wanted) => {
      const permissions: Actor["permissions"] = new Set([...issuer.permissions, "keys:manage"])
      return engine.as({ ...actor, permissions, bounds: issuer.bounds })(
        issue(wanted).pipe(
          Effect.catchIf(
            (error) => error instanceof ValidationFailed || error instanceof Forbidden,
            (error) =>
              Effect.succeed<IssueAnswer>({
                rejected: error instanceof ValidationFailed ? Object.keys(error.errors).sort() : []
              })
          )
        )
      )
    }
  })
  return {
    mine: issuerOf(await engine.fixture()),
    theirs: issuerOf(await engine.fixture()),
    admit: (operation, presented) =>
      engine.run(
        Effect.flatMap(Credentials, (credentials) => credentials.admit(operation, presented)).pipe(
          Effect.catchTags({
            Unauthenticated: () => Effect.succeed(null),
            Forbidden: () => Effect.succeed(null)
          })
        )
      ),
    wait: (seconds) => {
      engine.clock.advance(Math.round(seconds * 1000))
      return Promise.resolve()
    }
  }
}
