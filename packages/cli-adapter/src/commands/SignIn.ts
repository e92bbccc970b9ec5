import { command, text } from "./Declare.js"
import { common, scopes } from "./Shared.js"

export const signIn = command("sign-in", {
  description:
    "Print a link that signs a browser in to the web app: once, within 15 minutes, with the permissions of the caller or those of --scope.",
  options: {
    ...common,
    publicUrl: text(
      "--public-url <url>",
      "Address at which browsers reach the server. (env: EARSHOT_PUBLIC_URL; default: that of --url, or http://127.0.0.1:8080)"
    ),
    scopes
  },
  action: async () => (await import("../actions/SignIn.js")).signIn
})
