/** Exports: newline-delimited JSON. */

/**
 * The documents of a newline-delimited JSON response, one at a time, without holding the whole of it in memory.
 *
 *     const { data } = await client.GET("/observability/v1/call-logs/export/", { parseAs: "stream" })
 *     for await (const call of lines(data)) { ... }
 *
 * Ending the loop early cancels the request. Throws a `SyntaxError` if the response ends within a document, as it does when
 * the server fails while it exports.
 */
export async function* lines(
  stream: ReadableStream<Uint8Array> | null | undefined
): AsyncGenerator<unknown, void, undefined> {
  if (stream === null || stream === undefined) return
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    while (true) {
      const { done, value } = await reader.read()
      const complete = (rest + decoder.decode(value, { stream: !done })).split("\n")
      rest = done ? "" : (complete.pop() ?? "")
      for (const line of complete) {
        if (line === "") continue
        const document: unknown = JSON.parse(line)
        yield document
      }
      if (done) return
    }
  } finally {
    // Without effect on a stream that has ended.
    await reader.cancel()
  }
}
