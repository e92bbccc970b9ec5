import {
  BrowserSessions,
  CurrentSession,
  encodeCurrentSession,
  encodeIssuedSignInLink,
  Organizations,
  SignInDraft,
  SignInLink,
  SignInLinkDraft,
  Unauthenticated,
  type OrganizationId
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json, noContent } from "../Endpoint.js"
import { messageErrors } from "../ErrorResponses.js"

const tag = "Access"

const SessionBody = {
  name: "BrowserSession",
  schema: Schema.Struct({ ...CurrentSession.fields, organization_name: Schema.String })
}

const sessionBody = (current: CurrentSession) =>
  Effect.map(organizationName(current.organization), (organization_name) => ({
    ...encodeCurrentSession(current),
    organization_name
  }))

const organizationName = (id: OrganizationId) =>
  Effect.flatMap(Organizations, (organizations) => Effect.map(organizations.read(id), ({ name }) => name))

const notSignedIn = new Unauthenticated({ reason: "You are not signed in." })

export const sessions: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/user/v1/sign_in_links/",
    id: "access.createSignInLink",
    operation: "access.createSignInLink",
    tag,
    summary: "Create a sign-in link",
    description:
      "The page at `path` of this server signs in to the web app: once, within 15 minutes, with the scopes given or else the caller's permissions. The token is shown only in this response.",
    body: {
      name: "SignInLinkDraft",
      schema: SignInLinkDraft,
      encodings: anyEncoding,
      example: { scopes: ["calls:read"] }
    },
    responses: [{ status: 201, description: "The sign-in link.", body: { name: "SignInLink", schema: SignInLink } }],
    handle: ({ body }) =>
      Effect.flatMap(BrowserSessions, (all) =>
        Effect.map(all.createLink(body), (link) => json(201, encodeIssuedSignInLink(link)))
      )
  },
  {
    method: "POST",
    path: "/user/v1/session/",
    id: "session.signIn",
    operation: null,
    signsIn: true,
    tag,
    summary: "Sign in to the web app",
    description:
      "Exchanges an API key or the token of a sign-in link for a session of at most 12 hours, in an HttpOnly cookie that is accepted like an API key from pages of this server. The session of a key ends with the key.",
    body: { name: "SignIn", schema: SignInDraft, encodings: anyEncoding, example: { api_key: "ear_..." } },
    responses: [{ status: 201, description: "The session.", body: SessionBody }],
    handle: ({ body, visitor }) =>
      Effect.gen(function* () {
        if (visitor.isOfOtherOrigin) return yield* messageErrors.otherOrigin
        const all = yield* BrowserSessions
        const { current, secret } = yield* all.signIn(body, { from: visitor.from })
        // A browser has one session: the one before is not left to expire.
        if (visitor.session !== undefined) yield* all.signOut(visitor.session)
        const cookie = visitor.sessionCookie({
          secret: Redacted.value(secret),
          expiresAt: DateTime.toDate(current.expiresAt)
        })
        return { ...json(201, yield* sessionBody(current)), headers: { "set-cookie": cookie } }
      })
  },
  {
    method: "GET",
    path: "/user/v1/session/",
    id: "session.read",
    operation: null,
    signsIn: true,
    tag,
    summary: "Read the current session of the web app",
    responses: [{ status: 200, description: "The session.", body: SessionBody }],
    handle: ({ visitor }) =>
      Effect.gen(function* () {
        const all = yield* BrowserSessions
        const found = visitor.session === undefined ? Option.none() : yield* all.find(visitor.session)
        return Option.isNone(found) ? yield* notSignedIn : json(200, yield* sessionBody(found.value))
      })
  },
  {
    method: "DELETE",
    path: "/user/v1/session/",
    id: "session.signOut",
    operation: null,
    signsIn: true,
    tag,
    summary: "Sign out of the web app",
    description: "Ends the session and removes its cookie. Without a session it does nothing.",
    responses: [{ status: 204, description: "The session has ended, or there was none." }],
    handle: ({ visitor }) =>
      Effect.gen(function* () {
        if (visitor.session !== undefined) yield* (yield* BrowserSessions).signOut(visitor.session)
        return { ...noContent, headers: { "set-cookie": visitor.sessionCookie() } }
      })
  }
]
