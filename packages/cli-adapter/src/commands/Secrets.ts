import { command, group, toggle } from "./Declare.js"
import { json, storage } from "./Shared.js"

const load = () => import("../actions/Secrets.js")

const options = { ...storage, json }

export const secrets = group("secrets", "Check the secrets that are sealed in the database, and replace their keys.", [
  command("check", {
    description: "Report how many secrets are sealed with which key. Exit code 1 if any cannot be opened.",
    options,
    action: async () => (await load()).check
  }),
  command("rotate", {
    description: "Seal every secret with the first secret key, so that older keys can be removed. It can be repeated.",
    options,
    action: async () => (await load()).rotate
  }),
  command("rotate-signing-key", {
    description: "Sign new tokens with a new key. Tokens issued before stay valid until they expire.",
    options: {
      ...options,
      discardOld: toggle("--discard-old", "Make every token that was issued before invalid, as after a leak.")
    },
    action: async () => (await load()).rotateSigningKey
  })
])
