import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { NotFound, Unauthenticated } from "../access/AccessErrors.js"
import { hashSecret, looksLikeSecret } from "../access/Secret.js"
import type { StorageError } from "../kernel/Storage.js"
import { CheckoutGrantStore } from "./CheckoutGrantStore.js"
import { parseRepositorySegment } from "./RepositoryName.js"
import { LOCAL } from "./Local.js"
import { type LocalRepository, RepositoryServer, type Serving, type ServingFault } from "./RepositoryServer.js"

/** What a git client asks for, as it stands in its request. */
export interface RepositoryRequest {
  /** The token that it shows. */
  readonly token: string | undefined
  /** The two segments of the clone URL: `7` and `web.git`. */
  readonly organization: string
  readonly repository: string
}

/** The repositories of this machine, for the holders of checkout tokens. */
export class Repositories extends Context.Tag("@earshot/core/checkouts/Repositories")<
  Repositories,
  {
    /**
     * What a token opens, if it is in force and was made for this repository: asked of the database at every request, so
     * that a token ends the moment its time, its session or its connection does.
     */
    readonly open: (
      request: RepositoryRequest
    ) => Effect.Effect<OpenRepository, Unauthenticated | NotFound | StorageError>
  }
>() {}

/** A repository for one request of a client. */
export interface OpenRepository {
  /** See `Serving.advertise`. */
  readonly advertise: (protocol: string | undefined) => Stream.Stream<Uint8Array, ServingFault>
  /** See `Serving.uploadPack`. */
  readonly uploadPack: (protocol: string | undefined, request: Uint8Array) => Stream.Stream<Uint8Array, ServingFault>
}

const noSuch = () => new NotFound({ resource: "Repository" })

export const layer = Layer.effect(
  Repositories,
  Effect.gen(function* () {
    const grants = yield* CheckoutGrantStore
    const server = yield* RepositoryServer

    return Repositories.of({
      open: ({ organization, repository, token }) =>
        Effect.gen(function* () {
          if (Option.isNone(server)) return yield* noSuch()
          if (token === undefined) {
            return yield* new Unauthenticated({ reason: "Authentication credentials were not provided." })
          }
          const granted = looksLikeSecret("earcheckout_", token)
            ? yield* grants.findInForce(hashSecret(token), yield* DateTime.now)
            : Option.none()
          if (Option.isNone(granted)) return yield* new Unauthenticated({ reason: "Invalid credentials." })
          const { host, organizationId, repository: name } = granted.value
          const asked = parseRepositorySegment(repository)
          const isThisOne =
            host === LOCAL && organization === String(organizationId) && Option.isSome(asked) && asked.value === name
          if (!isThisOne) return yield* noSuch()
          return openRepository(server.value, { organizationId, name })
        })
    })
  })
)

const openRepository = (serving: Serving, repository: LocalRepository): OpenRepository => ({
  advertise: (protocol) => serving.advertise(repository, protocol),
  uploadPack: (protocol, request) => serving.uploadPack(repository, protocol, request)
})
