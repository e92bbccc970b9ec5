import {
  ApiKey,
  ApiKeyDraft,
  ApiKeyId,
  ApiKeys,
  ResourceScope,
  encodeApiKey,
  encodeIssuedApiKey,
  encodeIssuedShareableLink,
  encodeIssuedToken,
  encodeShareableLink,
  encodeUser,
  Pages,
  Permission,
  ShareableLink,
  ShareableLinkDraft,
  ShareableLinkId,
  ShareableLinks,
  TokenDraft,
  TokenKind,
  TokenRevocation,
  Tokens,
  User,
  UserDraft,
  UserId,
  Users
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json, noContent } from "../Endpoint.js"
import { resource } from "./Resource.js"

const tag = "Access"

export const apiKeys = resource({
  path: "/user/v1/api_keys/",
  tag,
  noun: "API key",
  name: "ApiKey",
  id: ApiKeyId,
  wire: ApiKey,
  encode: encodeApiKey,
  create: {
    operation: "access.createApiKey",
    description: "The key is in `api_key`. It is shown only in this response.",
    schema: ApiKeyDraft,
    encodings: anyEncoding,
    example: { name: "Webhook of the telephony provider", scopes: ["calls:write"] },
    shape: { name: "IssuedApiKey", schema: Schema.Struct({ ...ApiKey.fields, api_key: Schema.String }) },
    run: (body) => Effect.flatMap(ApiKeys, (keys) => Effect.map(keys.create(body), encodeIssuedApiKey))
  },
  list: {
    operation: "access.listApiKeys",
    query: Pages.PageQuery,
    run: (query) => Effect.flatMap(ApiKeys, (keys) => keys.list(query))
  },
  delete: {
    operation: "access.revokeApiKey",
    verb: "Revoke",
    description: "The key stops working and stays in the list.",
    run: (id) => Effect.flatMap(ApiKeys, (keys) => keys.revoke(id))
  }
})

export const shareableLinks = resource({
  path: "/user/v1/shareable_links/",
  tag,
  noun: "shareable link",
  name: "ShareableLink",
  id: ShareableLinkId,
  wire: ShareableLink,
  encode: encodeShareableLink,
  create: {
    operation: "access.createLink",
    description: "The value for the header X-SHAREABLE-LINK is in `token`. It is shown only in this response.",
    schema: ShareableLinkDraft,
    encodings: anyEncoding,
    example: { name: "For the board", bounds: [{ type: "dashboard", id: 1 }] },
    shape: { name: "IssuedShareableLink", schema: Schema.Struct({ ...ShareableLink.fields, token: Schema.String }) },
    run: (body) => Effect.flatMap(ShareableLinks, (links) => Effect.map(links.create(body), encodeIssuedShareableLink))
  },
  list: {
    operation: "access.listLinks",
    query: Pages.PageQuery,
    run: (query) => Effect.flatMap(ShareableLinks, (links) => links.list(query))
  },
  delete: {
    operation: "access.revokeLink",
    verb: "Revoke",
    description: "The link stops working and stays in the list.",
    run: (id) => Effect.flatMap(ShareableLinks, (links) => links.revoke(id))
  }
})

const IssuedToken = Schema.Struct({
  token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  kind: TokenKind,
  /** Identifies the token for revocation. */
  jti: Schema.String,
  user: Schema.NullOr(UserId),
  permissions: Schema.Array(Permission),
  bounds: Schema.NullOr(Schema.Array(ResourceScope)),
  expires_at: Schema.DateTimeUtc
})

export const tokens: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/user/v1/tokens/",
    id: "access.issueToken",
    operation: "access.issueToken",
    tag,
    summary: "Issue a token",
    description:
      "Issues a signed token of the given kind for the header Authorization. It is shown only in this response.",
    body: {
      name: "TokenDraft",
      schema: TokenDraft,
      encodings: anyEncoding,
      example: { kind: "embedded_session", bounds: [{ type: "dashboard", id: 1 }], ttl: 3600 }
    },
    responses: [{ status: 201, description: "The issued token.", body: { name: "IssuedToken", schema: IssuedToken } }],
    handle: ({ body }) =>
      Effect.flatMap(Tokens, (tokens) =>
        Effect.map(tokens.issue(body), (issued) => json(201, encodeIssuedToken(issued)))
      )
  },
  {
    method: "POST",
    path: "/user/v1/tokens/revoke/",
    id: "access.revokeToken",
    operation: "access.revokeToken",
    tag,
    summary: "Revoke a token",
    description: "The token stops working. Revoking an unknown token succeeds.",
    body: {
      name: "TokenRevocation",
      schema: TokenRevocation,
      encodings: anyEncoding,
      example: { jti: "4Jq1aXf0Tn2bE9cZkLw8Gg" }
    },
    responses: [{ status: 204, description: "The token is revoked." }],
    handle: ({ body }) => Effect.flatMap(Tokens, (tokens) => Effect.as(tokens.revoke(body), noContent))
  }
]

export const users = resource({
  path: "/user/v1/users/",
  tag,
  noun: "user",
  name: "User",
  id: UserId,
  wire: User,
  encode: encodeUser,
  create: {
    operation: "users.create",
    schema: UserDraft,
    encodings: anyEncoding,
    example: { email: "ada@example.com", name: "Ada" },
    run: (body) => Effect.flatMap(Users, (users) => Effect.map(users.create(body), encodeUser))
  },
  list: {
    operation: "users.list",
    query: Pages.PageQuery,
    run: (query) => Effect.flatMap(Users, (users) => users.list(query))
  }
})
