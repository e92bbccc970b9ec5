/** The kinds of code hosts that connections can name: `github`, `gitlab` and, where there is a folder, `local`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CodeHost, CodeHosts } from "../checkouts/CodeHost.js"
import { RepositoryServer } from "../checkouts/RepositoryServer.js"
import { type CodeHostHttpConfig, makeCodeHostHttp } from "./CodeHostHttp.js"
import { makeGitHubCodeHost } from "./GitHubCodeHost.js"
import { makeGitLabCodeHost } from "./GitLabCodeHost.js"
import { type LocalCodeHostConfig, makeLocalCodeHost } from "./LocalCodeHost.js"
import { OutboundHttp } from "./OutboundHttp.js"

export type { CodeHostHttpConfig, LocalCodeHostConfig }

export interface CodeHostsConfig extends CodeHostHttpConfig {
  /** Repositories of this machine. Default: none. */
  readonly local?: LocalCodeHostConfig
  /** Kinds of the embedding program's own. */
  readonly others?: ReadonlyArray<CodeHost>
}

export const layer = (config: CodeHostsConfig = {}): Layer.Layer<CodeHosts | RepositoryServer, never, OutboundHttp> =>
  Layer.effectContext(
    Effect.map(OutboundHttp, (outbound) => {
      const http = makeCodeHostHttp(outbound, config)
      const local = Option.map(Option.fromNullable(config.local), makeLocalCodeHost)
      const hosts = [
        makeGitHubCodeHost(http),
        makeGitLabCodeHost(http),
        ...Option.toArray(Option.map(local, ({ host }) => host)),
        ...(config.others ?? [])
      ]
      return Context.make(CodeHosts, hosts).pipe(
        Context.add(
          RepositoryServer,
          Option.map(local, ({ serving }) => serving)
        )
      )
    })
  )
