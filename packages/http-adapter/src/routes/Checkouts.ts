import {
  CheckoutDraft,
  Checkouts,
  CheckoutWire,
  CodeConnection,
  CodeConnectionDraft,
  CodeConnectionId,
  CodeConnections,
  encodeCheckout,
  encodeCodeConnection,
  Pages
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { anyEncoding, type Endpoint, json } from "../Endpoint.js"
import { pathId, resource } from "./Resource.js"

const tag = "Checkouts"

/** E2 */
const checkout: Endpoint = {
  method: "POST",
  path: "/repohost/checkout-token/",
  id: "checkouts.create",
  operation: "checkouts.create",
  tag,
  summary: "Authorize a repository checkout",
  description:
    "Returns a token that can read one repository for at most an hour. Requires an agent session in addition to the API " +
    "key. The code host is asked for access on every request. 409 if the organization has no active connection, 502 if " +
    "the code host fails.",
  errorStatuses: [404, 409, 502],
  body: {
    name: "CheckoutDraft",
    schema: CheckoutDraft,
    encodings: anyEncoding,
    example: { repo: "voice-agent" }
  },
  responses: [
    { status: 200, description: "The repository and a token for it.", body: { name: "Checkout", schema: CheckoutWire } }
  ],
  handle: ({ body }) =>
    Effect.flatMap(Checkouts, (checkouts) =>
      Effect.map(checkouts.create(body), (made) => json(200, encodeCheckout(made)))
    )
}

const path = "/repohost/connections/"
const shape = { name: "CodeConnection", schema: CodeConnection }

export const checkouts: ReadonlyArray<Endpoint> = [
  checkout,
  ...resource({
    path,
    tag,
    noun: "connection",
    name: "CodeConnection",
    id: CodeConnectionId,
    wire: CodeConnection,
    encode: encodeCodeConnection,
    create: {
      operation: "connections.create",
      description:
        "The secret is encrypted and never shown again. The connection is inactive, and the code host is not contacted yet.",
      schema: CodeConnectionDraft,
      encodings: anyEncoding,
      example: {
        host: "github",
        name: "Our app",
        settings: { app_id: 12345, installation_id: 67890, owner: "harbor-dental" },
        secret: "-----BEGIN RSA PRIVATE KEY-----\n..."
      },
      run: (body) =>
        Effect.flatMap(CodeConnections, (connections) => Effect.map(connections.create(body), encodeCodeConnection))
    },
    list: {
      operation: "connections.list",
      query: Pages.PageQuery,
      run: (query) => Effect.flatMap(CodeConnections, (connections) => connections.list(query))
    },
    read: {
      operation: "connections.read",
      run: (id) => Effect.flatMap(CodeConnections, (connections) => connections.read(id))
    },
    delete: {
      operation: "connections.revoke",
      verb: "Revoke",
      description:
        "Permanently revokes the connection and the checkout tokens issued through it. It stays in the list.",
      run: (id) => Effect.flatMap(CodeConnections, (connections) => connections.revoke(id))
    }
  }),
  {
    method: "POST",
    path: `${path}:id/test/`,
    id: "connections.test",
    operation: "connections.test",
    tag,
    summary: "Test a connection",
    errorStatuses: [409],
    description: "Contacts the code host. `test_error` states the problem, or is null if there is none.",
    responses: [{ status: 200, description: "The tested connection.", body: shape }],
    handle: ({ params }) =>
      Effect.flatMap(pathId(CodeConnectionId, params, "CodeConnection"), (id) =>
        Effect.flatMap(CodeConnections, (connections) =>
          Effect.map(connections.test(id), (tested) => json(200, encodeCodeConnection(tested)))
        )
      )
  },
  {
    method: "POST",
    path: `${path}:id/activate/`,
    id: "connections.activate",
    operation: "connections.activate",
    tag,
    summary: "Activate a connection",
    errorStatuses: [409, 502],
    description:
      "Tests the connection first: 502 states the problem. The connection that was active before becomes inactive, and its " +
      "checkout tokens are revoked.",
    responses: [{ status: 200, description: "The active connection.", body: shape }],
    handle: ({ params }) =>
      Effect.flatMap(pathId(CodeConnectionId, params, "CodeConnection"), (id) =>
        Effect.flatMap(CodeConnections, (connections) =>
          Effect.map(connections.activate(id), (active) => json(200, encodeCodeConnection(active)))
        )
      )
  }
]
