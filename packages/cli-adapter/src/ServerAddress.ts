import { nonBlank } from "./Settings.js"

/** Where `serve` listens by default. */
const DEFAULT_URL = "http://127.0.0.1:8080"

/** The address at which browsers find the server, without a slash at its end. */
export const serverAddress = (options: {
  readonly publicUrl?: string | undefined
  readonly url?: string | undefined
}): string => {
  const address = nonBlank(options.publicUrl) ?? nonBlank(process.env.EARSHOT_PUBLIC_URL) ?? options.url ?? DEFAULT_URL
  return address.replace(/\/+$/, "")
}
