import * as Context from "effect/Context"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { OrganizationId } from "../kernel/Ids.js"
import type { CodeHostFailed, RepositoryBusy, RepositoryUnavailable } from "./CheckoutErrors.js"
import type { RepositoryName } from "./RepositoryName.js"

/** A repository in a folder of this machine. */
export interface LocalRepository {
  readonly organizationId: OrganizationId
  readonly name: RepositoryName
}

export type ServingError = RepositoryUnavailable | RepositoryBusy | CodeHostFailed

/**
 * Reads repositories of this machine for git's clients, as git's smart HTTP protocol has it (git's own
 * Documentation/gitprotocol-http). Read-only.
 */
export interface Serving {
  /**
   * The response to `info/refs?service=git-upload-pack`.
   *
   * @param protocol the client's header `Git-Protocol`
   */
  readonly advertise: (
    repository: LocalRepository,
    protocol: string | undefined
  ) => Stream.Stream<Uint8Array, ServingError>
  /** The response to `git-upload-pack`: the requested objects as a pack. */
  readonly uploadPack: (
    repository: LocalRepository,
    protocol: string | undefined,
    request: Uint8Array
  ) => Stream.Stream<Uint8Array, ServingError>
}

/** Serves the repositories of the host kind `local`; none where no folder is configured. */
export class RepositoryServer extends Context.Tag("@earshot/core/checkouts/RepositoryServer")<
  RepositoryServer,
  Option.Option<Serving>
>() {}
