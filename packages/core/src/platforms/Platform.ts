import type { TranscriptType } from "../transcripts/TranscriptFormat.js"

/** The voice platforms whose webhooks are read, by the interface's tokens. */
export const platforms = [
  "provider_a",
  "provider_b",
  "provider_d",
  "provider_e",
  "provider_f"
] as const satisfies ReadonlyArray<TranscriptType>
export type Platform = (typeof platforms)[number]

/** The names that the platforms have for themselves; each may be used in place of its token. */
export const platformAliases = {
  vapi: "provider_a",
  retell: "provider_b",
  pipecat: "provider_d",
  livekit: "provider_e",
  elevenlabs: "provider_f"
} as const satisfies Record<string, Platform>

const byName: ReadonlyMap<string, Platform> = new Map([
  ...platforms.map((token) => [token, token] as const),
  ...Object.entries(platformAliases)
])

/** The platform that a token or an alias names; undefined if none. */
export const platformNamed = (name: string): Platform | undefined => byName.get(name)

/** Every name of a platform: the tokens, then the aliases. */
export const platformNames: ReadonlyArray<string> = [...byName.keys()]
