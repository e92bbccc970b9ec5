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
import { anyEncoding, type Endpoint, json, noStore } from "../Endpoint.js"
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
    "A key that reads one repository for an hour at most, shown this once. It takes an agent's session beside the API " +
    "key. Access is asked of the code host at every request. 409 where the organization has no active connection, 502 " +
    "where the code host fails.",
  headers: noStore,
  errorStatuses: [404, 409, 502],
  body: {
    name: "CheckoutDraft",
    schema: CheckoutDraft,
    encodings: anyEncoding,
    example: { repo: "voice-agent" }
  },
  responses: [
    { status: 200, description: "The repository and its key.", body: { name: "Checkout", schema: CheckoutWire } }
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
        "The secret is sealed and never shown again. The connection is inactive, and its code host is not asked yet.",
      schema: CodeConnectionDraft,
      encodings: anyEncoding,
      example: {
        host: "github",
        name: "Our app",
        settings: { app_id: 12345, installation_id: 67890, owner: "harbour-dental" },
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
      description: "It is revoked for good, and the keys that were had through it with it. It stays in the list.",
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
    description: "Asks the code host. What is wrong is in `test_error`, which is null where nothing is.",
    responses: [{ status: 200, description: "The connection, as it was just found.", body: shape }],
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
      "It is tested first, and 502 says what is wrong. The one that was active before becomes inactive, and keys that were " +
      "had through it end.",
    responses: [{ status: 200, description: "The connection, which is the active one now.", body: shape }],
    handle: ({ params }) =>
      Effect.flatMap(pathId(CodeConnectionId, params, "CodeConnection"), (id) =>
        Effect.flatMap(CodeConnections, (connections) =>
          Effect.map(connections.activate(id), (active) => json(200, encodeCodeConnection(active)))
        )
      )
  }
]
