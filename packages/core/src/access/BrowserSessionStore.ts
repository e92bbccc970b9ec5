import * as Context from "effect/Context"
import type { BrowserSession } from "./BrowserSession.js"
import type { NewSecretCredential } from "./SecretCredential.js"
import type { SecretCredentialStore } from "./SecretCredentialStore.js"

/** What is stored of a new session. */
export interface NewBrowserSession extends NewSecretCredential, Pick<BrowserSession, "keyHash" | "scopes"> {}

export class BrowserSessionStore extends Context.Tag("@earshot/core/access/BrowserSessionStore")<
  BrowserSessionStore,
  SecretCredentialStore<BrowserSession, NewBrowserSession>
>() {}
