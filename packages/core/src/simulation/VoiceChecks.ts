import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NotFound } from "../access/AccessErrors.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { keyMissing } from "../catalog/EndpointRules.js"
import { fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import type { AgentId, OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import { streamIdsOf } from "./voice/protocols/MediaStream.js"
import { TextToSpeech, wholeSpeech } from "./voice/TextToSpeech.js"
import { voiceAddressOf } from "./voice/VoiceAddressRules.js"
import { checkVoice, type VoiceCheck } from "./voice/VoiceCheck.js"
import { VoiceConnections } from "./voice/VoiceConnection.js"

/** Another check of the organization is not over yet. */
export class VoiceCheckInProgress extends Schema.TaggedError<VoiceCheckInProgress>(
  "@earshot/core/simulation/VoiceCheckInProgress"
)("VoiceCheckInProgress", {}) {
  override get message(): string {
    return "A check of a voice endpoint is in progress. Try again when it is over; it takes at most 30 seconds."
  }
}

const GREETING = "Hello?"
const GREETING_TIMEOUT = "5 seconds"

/** Checks of agents' voice endpoints. */
export class VoiceChecks extends Context.Tag("@earshot/core/simulation/VoiceChecks")<
  VoiceChecks,
  {
    /** Calls the agent at its voice endpoint; a process checks one endpoint of an organization at a time. */
    readonly check: UseCase<
      "agents.checkVoice",
      [id: AgentId],
      VoiceCheck,
      NotFound | ValidationFailed | VoiceCheckInProgress | StorageError
    >
  }
>() {}

const unusable = (reason: string) => new ValidationFailed({ errors: fieldError("voice_endpoint", reason) })

export const layer = Layer.effect(
  VoiceChecks,
  Effect.gen(function* () {
    const agents = yield* Agents
    const connections = yield* VoiceConnections
    const speech = yield* Effect.serviceOption(TextToSpeech)
    const checking = new Set<OrganizationId>()

    /** What is said to an agent that waits for the caller. Without it, the check can still hear one that speaks first. */
    const greeting = Option.match(speech, {
      onNone: () => Effect.succeed(null),
      onSome: ({ speak }) =>
        wholeSpeech(speak({ text: GREETING })).pipe(
          Effect.timeout(GREETING_TIMEOUT),
          Effect.orElseSucceed(() => null)
        )
    })

    return VoiceChecks.of({
      check: useCase("agents.checkVoice")((permit, id) =>
        Effect.gen(function* () {
          const agent = yield* agents.find(permit, id)
          if (agent.voiceEndpoint === null) return yield* unusable("The agent has no voice endpoint: set it first.")
          const endpoint = agents.openVoiceEndpoint(agent)
          if (Option.isNone(endpoint)) return yield* unusable(keyMissing("voice"))
          const { organizationId } = permit
          const now = yield* Clock.currentTimeMillis
          return yield* Effect.acquireUseRelease(
            Effect.suspend(() => {
              if (checking.has(organizationId)) return new VoiceCheckInProgress()
              checking.add(organizationId)
              return Effect.void
            }),
            () =>
              Effect.flatMap(greeting, (audio) =>
                checkVoice(
                  agent.id,
                  voiceAddressOf(endpoint.value),
                  endpoint.value.protocol,
                  streamIdsOf(`check-${agent.id}-${now}`),
                  audio
                )
              ),
            () => Effect.sync(() => checking.delete(organizationId))
          )
        }).pipe(Effect.provideService(VoiceConnections, connections))
      )
    })
  })
)
