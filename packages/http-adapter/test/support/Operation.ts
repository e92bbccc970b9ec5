/** Servers and calls for tests of operation. */
import { startServer, type TestServer, type TestServerOptions } from "./TestServer.js"

export const withServer = async (
  options: TestServerOptions,
  use: (server: TestServer) => Promise<void>
): Promise<void> => {
  const server = await startServer(options)
  try {
    await use(server)
  } finally {
    await server.close()
  }
}
