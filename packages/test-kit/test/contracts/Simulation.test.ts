/** The engine's text executor and HTTP chat agent pass the contracts of the kit. */
import {
  Agent,
  AgentId,
  ChatAgent,
  ChatFailed,
  LanguageModel,
  type OpenChatEndpoint,
  OrganizationId,
  parseConditionalActions,
  ProjectId,
  type Scenario,
  textExecutor
} from "@earshot/core"
import * as HttpChatAgent from "@earshot/core/providers/HttpChatAgent"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import { SimulationKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { once } from "node:events"
import { createServer } from "node:http"
import { afterAll } from "vitest"

const agent = (id: number, chatEndpoint: Agent["chatEndpoint"]): Agent =>
  new Agent({
    id: AgentId.make(id),
    organizationId: OrganizationId.make(1),
    projectId: ProjectId.make(1),
    name: "Front desk",
    description: "",
    assistantId: null,
    provider: null,
    supportedChannels: ["text"],
    chatEndpoint,
    voiceEndpoint: null,
    createdAt: DateTime.unsafeMake(0),
    updatedAt: DateTime.unsafeMake(0)
  })

const endpoint = (url: string): OpenChatEndpoint & NonNullable<Agent["chatEndpoint"]> => ({
  url,
  kind: "webhook",
  headers: {}
})

/** Responds by the last letter of the URL: says hello, fails, or never answers. */
const fakeAgents = Layer.succeed(ChatAgent, {
  reply: ({ url }) =>
    url.endsWith("a")
      ? Effect.succeed({ text: "Hello", endsCall: false, toolCalls: [] })
      : url.endsWith("s")
        ? Effect.never
        : Effect.fail(new ChatFailed({ reason: "The agent cannot be reached." }))
})

const actions = Either.getOrThrow(
  parseConditionalActions({
    role: "A caller in a hurry",
    conditions: [
      { id: 0, condition: "FIRST_MESSAGE", action: "Hi" },
      { id: 1, condition: "The agent says hello", action: '<silence time="1" /> Goodbye <endcall />' }
    ]
  })
)

const scenario: Scenario = {
  type: "conditional_actions",
  instructions: "",
  actions,
  firstMessage: "",
  expectedOutcome: "",
  persona: null,
  language: null,
  facts: {},
  variables: {},
  maxDuration: 60
}

SimulationKit.runExecutorContract("the text executor", {
  executor: textExecutor().pipe(
    Layer.provide(Layer.merge(fakeAgents, Layer.succeed(LanguageModel, { ask: Option.none() })))
  ),
  channel: "text",
  answering: agent(1, endpoint("https://agents.example/a")),
  unreachable: agent(2, endpoint("https://agents.example/u")),
  silent: agent(3, endpoint("https://agents.example/s")),
  scenario
})

const server = createServer((request, response) => {
  request.resume()
  if (request.url === "/a") response.end(JSON.stringify({ message: "Hello" }))
  if (request.url === "/f") response.writeHead(500).end("{")
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const address = server.address()
const base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`

SimulationKit.chatAgentContract("HTTP", {
  agents: HttpChatAgent.layer().pipe(Layer.provide(OutboundHttp.layer({ allowHosts: ["127.0.0.1"] }))),
  answering: endpoint(`${base}/a`),
  failing: endpoint(`${base}/f`),
  unreachable: endpoint("http://127.0.0.1:1/"),
  silent: endpoint(`${base}/s`)
})
