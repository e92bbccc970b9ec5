import * as Context from "effect/Context"
import type { ApiKey, ApiKeyScope } from "./ApiKey.js"
import type { NewSecretCredential } from "./SecretCredential.js"
import type { SecretCredentialStore } from "./SecretCredentialStore.js"

/** What is stored of a new key. */
export interface NewApiKey extends NewSecretCredential {
  readonly scopes: ReadonlyArray<ApiKeyScope>
}

export class ApiKeyStore extends Context.Tag("@earshot/core/access/ApiKeyStore")<
  ApiKeyStore,
  SecretCredentialStore<ApiKey, NewApiKey>
>() {}
