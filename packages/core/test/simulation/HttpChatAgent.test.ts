import { ChatAgent, type ChatRequest } from "@earshot/core"
import * as HttpChatAgent from "@earshot/core/providers/HttpChatAgent"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { completion, fakeAgent } from "./fakeAgent.js"

const request: ChatRequest = {
  conversation: "run-1-0",
  model: "booker",
  messages: [
    { speaker: "testing_agent", text: "Hello." },
    { speaker: "main_agent", text: "Hi." },
    { speaker: "testing_agent", text: "A table, please." }
  ],
  variables: { name: "Ann" }
}

const asked = (
  url: string,
  kind: "openai" | "webhook" = "webhook",
  allowHosts: ReadonlyArray<string> = ["127.0.0.1"]
) =>
  Effect.flatMap(ChatAgent, (agents) =>
    agents.reply({ url, kind, headers: { "x-key": Redacted.make("secret") } }, request)
  ).pipe(Effect.provide(HttpChatAgent.layer().pipe(Layer.provide(OutboundHttp.layer({ allowHosts })))))

it.scopedLive("sends the conversation to a chat-completions server and reads its reply", () =>
  Effect.gen(function* () {
    const agent = yield* fakeAgent(() => completion("At eight?"))
    expect(yield* asked(agent.url, "openai")).toEqual({ text: "At eight?", endsCall: false, toolCalls: [] })
    const [request] = agent.requests
    expect(request?.headers["x-key"]).toBe("secret")
    expect(request?.body).toEqual({
      model: "booker",
      user: "run-1-0",
      stream: false,
      messages: [
        { role: "user", content: "Hello." },
        { role: "assistant", content: "Hi." },
        { role: "user", content: "A table, please." }
      ]
    })
  })
)

it.scopedLive(
  "sends the message and the variables to a webhook and reads text, tool calls and the end of the call",
  () =>
    Effect.gen(function* () {
      const agent = yield* fakeAgent(() => ({
        message: "Booked. Goodbye.",
        end_call: true,
        tool_calls: [{ id: "t1", name: "book", arguments: { guests: 2 }, result: "ok" }, { no: "name" }, 7]
      }))
      expect(yield* asked(agent.url)).toEqual({
        text: "Booked. Goodbye.",
        endsCall: true,
        toolCalls: [{ id: "t1", name: "book", arguments: '{"guests":2}', result: "ok" }]
      })
      expect(agent.requests[0]?.body).toEqual({
        conversation_id: "run-1-0",
        message: "A table, please.",
        messages: [
          { role: "Testing Agent", content: "Hello." },
          { role: "Main Agent", content: "Hi." },
          { role: "Testing Agent", content: "A table, please." }
        ],
        variables: { name: "Ann" }
      })
    })
)

const failure = (url: string, kind?: "openai" | "webhook", allowHosts?: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(asked(url, kind, allowHosts)), ({ reason }) => reason)

it.scopedLive("names what is wrong with a response and repeats none of its text", () =>
  Effect.gen(function* () {
    const text = (body: string) => fakeAgent((_, response) => void response.end(body))
    expect(yield* failure((yield* text("<html>")).url)).toBe("The agent's response is not JSON.")
    expect(yield* failure((yield* text("")).url)).toBe("The agent's response is not JSON.")
    for (const hostile of [
      "[]",
      "null",
      '"x"',
      "{}",
      '{"message":7}',
      '{"message":" "}',
      '{"__proto__":{"message":"x"}}'
    ]) {
      expect(yield* failure((yield* text(hostile)).url)).toBe("The agent's response has no text in message.")
    }
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`
    expect(yield* failure((yield* text(deep)).url, "openai")).toMatch(/^The agent's response /)
    const tools = `[{"name":"book","arguments":${deep}}]`
    expect(yield* failure((yield* text(`{"message":"Hi","tool_calls":${tools}}`)).url)).toBe(
      "The agent's response is nested too deeply."
    )
    for (const hostile of ["[]", '{"choices":{}}', '{"choices":[null]}', '{"choices":[]}']) {
      expect(yield* failure((yield* text(hostile)).url, "openai")).toBe(
        "The agent's response has no choices[0].message."
      )
    }
    const calling = yield* fakeAgent(() => ({
      choices: [{ message: { content: null, tool_calls: [{ id: "1", function: { name: "book", arguments: "{}" } }] } }]
    }))
    expect(yield* failure(calling.url, "openai")).toMatch(/has a tool call and no text/)
    const large = yield* text(JSON.stringify({ message: "x".repeat(300_000) }))
    expect(yield* failure(large.url)).toBe("The agent's server sent more than 262144 bytes.")
    const refusing = yield* fakeAgent((_, response) => {
      response.statusCode = 503
      response.end("secret")
    })
    expect(yield* failure(refusing.url)).toBe("The agent's server answered HTTP 503.")
    const moving = yield* fakeAgent((_, response) => {
      response.statusCode = 302
      response.setHeader("location", "http://169.254.169.254/")
      response.end()
    })
    expect(yield* failure(moving.url)).toBe("The agent's server answered HTTP 302.")
    const dropping = yield* fakeAgent((_, response) => void response.destroy())
    expect(yield* failure(dropping.url)).toMatch(/^The agent's server (?:cannot be reached|sent no response)/)
    const cutting = yield* fakeAgent((_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("{")
      setTimeout(() => response.destroy(), 20)
    })
    expect(yield* failure(cutting.url)).toMatch(/^The agent's server closed the connection/)
    expect(yield* failure("http://127.0.0.1:1/")).toBe("The agent's server cannot be reached (ECONNREFUSED).")
  })
)

it.live.each([
  "http://127.0.0.1/a",
  "http://localhost/a",
  "http://10.1.2.3/a",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::1]/a",
  "http://[::ffff:127.0.0.1]/a",
  "https://2130706433/a"
])("sends nothing to %s, which is not a public address", (url) =>
  Effect.gen(function* () {
    expect(yield* failure(url, "webhook", [])).toBe(
      "The agent's server has no public address; the operator can allow its host by name."
    )
  })
)

it.live("rejects an endpoint that is not an http or https URL", () =>
  Effect.gen(function* () {
    expect(yield* failure("nonsense")).toBe("The agent's server has no valid URL.")
    expect(yield* failure("file:///etc/passwd")).toBe("The agent's server can be reached over http and https only.")
  })
)
