/** Responses that are read as they arrive: exports, and what happens in a run. */

type Body = ReadableStream<Uint8Array> | null | undefined

/** The lines of a text, each when it is complete. Ending the loop early cancels the request. */
async function* textLines(stream: Body): AsyncGenerator<string, void, undefined> {
  if (stream === null || stream === undefined) return
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    while (true) {
      const { done, value } = await reader.read()
      const complete = (rest + decoder.decode(value, { stream: !done })).split("\n")
      rest = done ? "" : (complete.pop() ?? "")
      for (const line of complete) if (line !== "") yield line
      if (done) return
    }
  } finally {
    // Without effect on a stream that has ended.
    await reader.cancel()
  }
}

/**
 * The documents of a newline-delimited JSON response, one at a time, without holding the whole of it in memory.
 *
 *     const { data } = await client.GET("/observability/v1/call-logs/export/", { parseAs: "stream" })
 *     for await (const call of lines(data)) { ... }
 *
 * Ending the loop early cancels the request. Throws a `SyntaxError` if the response ends within a document, as it does when
 * the server fails while it exports.
 */
export async function* lines(stream: Body): AsyncGenerator<unknown, void, undefined> {
  for await (const line of textLines(stream)) {
    const document: unknown = JSON.parse(line)
    yield document
  }
}

const DATA = "data: "

/**
 * The events of a response of server-sent events (`text/event-stream`), whose data are JSON of one line:
 *
 *     const { data } = await client.GET("/test_framework/v1/runs/{id}/live/", { params, parseAs: "stream" })
 *     for await (const event of events(data)) { ... }
 *
 * Ending the loop early cancels the request.
 */
export async function* events(stream: Body): AsyncGenerator<unknown, void, undefined> {
  for await (const line of textLines(stream)) {
    if (!line.startsWith(DATA)) continue
    const event: unknown = JSON.parse(line.slice(DATA.length))
    yield event
  }
}
