/**
 * Repositories of this machine for git's clients: the reading half of git's smart HTTP protocol. Source: git's
 * Documentation/gitprotocol-http.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Repositories, REPOSITORIES_PATH, type RepositoryRequest } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type RawEndpoint, type RawRequest } from "../Endpoint.js"
import { messageErrors } from "../ErrorResponses.js"
import { streamResponse } from "../StreamResponse.js"

const tag = "Checkouts"

/** Tokens are shorter; a longer header is not even decoded. */
const MAX_AUTHORIZATION = 1_000

/**
 * The token in a header `Authorization`: after `Bearer`, or as the password of `Basic`, where clients of code hosts put
 * it; the name beside it is not looked at.
 */
export const tokenOf = (authorization: string | undefined): string | undefined => {
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

/** Git's own server says it in these words, to caches older than Cache-Control too. */
const headers = { "cache-control": "no-cache, no-store, max-age=0, must-revalidate", pragma: "no-cache" }

const challenge = 'Basic realm="earshot"'
const base = `${REPOSITORIES_PATH}/:organization/:repository` as const

/** A push is refused as such, once its sender is known to hold a key to the repository. */
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
    responses: [{ status: 200, description: "Its refs.", mediaType: "application/x-git-upload-pack-advertisement" }],
    handle: (request) =>
      // Without a service it is the dumb protocol, which would take files as they lie.
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
    summary: "Read from a repository",
    mediaType: "application/x-git-upload-pack-request",
    headers,
    challenge,
    responses: [{ status: 200, description: "A pack.", mediaType: "application/x-git-upload-pack-result" }],
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
    summary: "Push to a repository, which is refused",
    headers,
    challenge,
    responses: [{ status: 200, description: "Never." }],
    handle: rejectPush
  }
]
