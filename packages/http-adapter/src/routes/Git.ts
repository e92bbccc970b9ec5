/** Repositories on this machine for git clients: the read side of git's smart HTTP protocol. Source: git's
 * Documentation/gitprotocol-http. */
import type { IncomingHttpHeaders } from "node:http"
import { Repositories, REPOSITORIES_PATH, type RepositoryRequest } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type RawEndpoint, type RawRequest } from "../Endpoint.js"
import { messageErrors } from "../ErrorResponses.js"
import { streamResponse } from "../StreamResponse.js"

const tag = "Checkouts"

/** Longer headers cannot contain a valid token and are not decoded. */
const MAX_AUTHORIZATION = 1_000

/**
 * The token in a header `Authorization`: a bearer token, or the password of `Basic`, where clients of code hosts put it. The
 * user name is ignored.
 */
const tokenOf = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION) return undefined
  const [, scheme = "", credential = ""] = /^(basic|bearer) +(\S+) *$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === "bearer") return credential
  if (scheme === "") return undefined
  const pair = Buffer.from(credential, "base64").toString("latin1")
  const colon = pair.indexOf(":")
  return colon === -1 ? undefined : pair.slice(colon + 1)
}

const repositoryRequest = ({ headers, params }: RawRequest): RepositoryRequest => ({
  token: tokenOf(headers.authorization),
  organization: params.organization ?? "",
  repository: params.repository ?? ""
})

const gitProtocol = (headers: IncomingHttpHeaders): string | undefined => {
  const header = headers["git-protocol"]
  return typeof header === "string" ? header : undefined
}

/** The headers of git's own server. */
const headers = { "cache-control": "no-cache, no-store, max-age=0, must-revalidate", pragma: "no-cache" }

const challenge = 'Basic realm="earshot"'
const base = `${REPOSITORIES_PATH}/:organization/:repository` as const

/** Rejects a push. Callers without a valid token get the same response as for a read. */
const rejectPush = (request: RawRequest) =>
  Effect.flatMap(Repositories, (repositories) =>
    Effect.zipRight(repositories.open(repositoryRequest(request)), Effect.fail(messageErrors.readOnly))
  )

export const git: ReadonlyArray<RawEndpoint> = [
  {
    method: "GET",
    path: `${base}/info/refs`,
    id: "repositories.refs",
    operation: "raw",
    tag,
    summary: "List the refs of a repository",
    query: Schema.Struct({ service: Schema.optional(Schema.String) }),
    headers,
    challenge,
    responses: [
      {
        status: 200,
        description: "The refs of the repository.",
        mediaType: "application/x-git-upload-pack-advertisement"
      }
    ],
    handle: (request) =>
      // Without a service it is the dumb protocol, which is not supported.
      request.query.service === "git-upload-pack"
        ? Effect.flatMap(Repositories, (repositories) =>
            Effect.flatMap(repositories.open(repositoryRequest(request)), (repository) =>
              streamResponse(
                "application/x-git-upload-pack-advertisement",
                repository.advertise(gitProtocol(request.headers))
              )
            )
          )
        : rejectPush(request)
  },
  {
    method: "POST",
    path: `${base}/git-upload-pack`,
    id: "repositories.uploadPack",
    operation: "raw",
    tag,
    summary: "Fetch from a repository",
    mediaType: "application/x-git-upload-pack-request",
    headers,
    challenge,
    responses: [{ status: 200, description: "A packfile.", mediaType: "application/x-git-upload-pack-result" }],
    handle: (request) =>
      Effect.flatMap(Repositories, (repositories) =>
        Effect.flatMap(repositories.open(repositoryRequest(request)), (repository) =>
          Effect.flatMap(request.bytes, (bytes) =>
            streamResponse(
              "application/x-git-upload-pack-result",
              repository.uploadPack(gitProtocol(request.headers), bytes)
            )
          )
        )
      )
  },
  {
    method: "POST",
    path: `${base}/git-receive-pack`,
    id: "repositories.receivePack",
    operation: "raw",
    tag,
    summary: "Reject a push to a repository",
    headers,
    challenge,
    responses: [{ status: 200, description: "Push is rejected." }],
    handle: rejectPush
  }
]
