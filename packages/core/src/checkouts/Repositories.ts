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
import { type LocalRepository, RepositoryServer, type Serving, type ServingError } from "./RepositoryServer.js"

/** A git client's request. */
export interface RepositoryRequest {
  /** The client's token. */
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
     * The repository, if the token is valid for it. The database is queried at every request, so that a token ends the
     * moment it expires or its session or connection is revoked.
     */
    readonly open: (
      request: RepositoryRequest
    ) => Effect.Effect<OpenRepository, Unauthenticated | NotFound | StorageError>
  }
>() {}

/** A repository for one request of a client. */
export interface OpenRepository {
  /** See `Serving.advertise`. */
  readonly advertise: (protocol: string | undefined) => Stream.Stream<Uint8Array, ServingError>
  /** See `Serving.uploadPack`. */
  readonly uploadPack: (protocol: string | undefined, request: Uint8Array) => Stream.Stream<Uint8Array, ServingError>
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
          const requested = parseRepositorySegment(repository)
          const isGranted =
            host === LOCAL &&
            organization === String(organizationId) &&
            Option.isSome(requested) &&
            requested.value === name
          if (!isGranted) return yield* noSuch()
          return openRepository(server.value, { organizationId, name })
        })
    })
  })
)

const openRepository = (serving: Serving, repository: LocalRepository): OpenRepository => ({
  advertise: (protocol) => serving.advertise(repository, protocol),
  uploadPack: (protocol, request) => serving.uploadPack(repository, protocol, request)
})
