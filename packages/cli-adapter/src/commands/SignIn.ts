import { command, text, withDefault } from "./Declare.js"
import { common, scopes } from "./Shared.js"

export const signIn = command("sign-in", {
  description:
    "Print a link that signs a browser in to the web app: once, within 15 minutes, with the permissions of the caller or some of them.",
  options: {
    ...common,
    url: withDefault(text("--url <address>", "Address at which browsers reach the server."), "http://127.0.0.1:8080"),
    scopes
  },
  action: async () => (await import("../actions/SignIn.js")).signIn
})
