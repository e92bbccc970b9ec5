/** What a call needs of the protocol that an agent speaks. Each protocol is a file of `protocols/`. */
import type * as Either from "effect/Either"

/** A message of a WebSocket: text, or binary. */
export type WireMessage = string | Uint8Array

/** The longest message of an agent in characters or bytes; at least 15 seconds of audio. */
export const MAX_MESSAGE = 1024 * 1024

/** What an agent sends, and the messages that are sent in response. */
export type AgentMessage =
  /** Mu-law of 8 kHz, as the agent's other audio to be queued behind what it sent before. */
  | { readonly event: "media"; readonly audio: Uint8Array }
  | { readonly event: "mark"; readonly name: string }
  /** Drops the audio that was not heard yet. */
  | { readonly event: "clear"; readonly responses?: ReadonlyArray<WireMessage> }
  /** Nothing that is heard. */
  | { readonly event: "other"; readonly responses?: ReadonlyArray<WireMessage> }

export const OTHER: AgentMessage = { event: "other" }

/** One call in a protocol, from the caller's side; it keeps what the protocol has to remember of the call. */
export interface VoiceProtocol {
  /** The messages of a connection that was opened. */
  readonly open: (parameters: Readonly<Record<string, string>>) => ReadonlyArray<WireMessage>
  /** The next frame of the caller: 160 samples of mu-law. */
  readonly media: (frame: Uint8Array) => ReadonlyArray<WireMessage>
  /** A key of a telephone; protocols without keys send nothing. */
  readonly key: (key: string) => ReadonlyArray<WireMessage>
  /** What the agent queued before its mark has played, or was cleared. */
  readonly mark: (name: string) => ReadonlyArray<WireMessage>
  /** The messages before the connection is closed. */
  readonly close: () => ReadonlyArray<WireMessage>
  /**
   * Reads an agent's message; left is a sentence that says what is wrong with it, and repeats nothing of it.
   *
   * @param at its time in milliseconds of the clock
   */
  readonly read: (message: WireMessage, at: number) => Either.Either<AgentMessage, string>
}
