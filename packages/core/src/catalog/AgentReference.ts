import * as Either from "effect/Either"
import {
  fieldError,
  type FieldErrors,
  hasFieldErrors,
  mergeFieldErrors,
  Messages,
  noFieldErrors
} from "../kernel/FieldErrors.js"
import type { AgentId } from "../kernel/Ids.js"
import type { Agent } from "./Agent.js"

/** How an input names an agent: by its id, by its provider's id of it, or by both. */
export interface AgentReference {
  readonly agent?: AgentId | null | undefined
  readonly assistantId?: string | null | undefined
}

/** The field errors of an input that names no agent. */
export const agentRequired = mergeFieldErrors(
  fieldError("agent", "This field is required if assistant_id is not provided."),
  fieldError("assistant_id", "This field is required if agent is not provided.")
)

/** The agent that a reference names, of those that were found by its id or its assistant id. */
export const referencedAgent = (
  found: ReadonlyArray<Agent>,
  id: AgentId | null,
  assistantId: string | null
): Either.Either<Agent, FieldErrors> => {
  const byId = found.find((one) => one.id === id)
  const byAssistant = assistantId === null ? undefined : found.find((one) => one.assistantId === assistantId)
  const agent = byId ?? byAssistant
  const errors = mergeFieldErrors(
    id === null && assistantId === null ? agentRequired : noFieldErrors,
    id !== null && byId === undefined ? fieldError("agent", Messages.unknownId(id)) : noFieldErrors,
    assistantId !== null && byAssistant === undefined
      ? fieldError("assistant_id", Messages.unknownId(assistantId))
      : byId !== undefined && byAssistant !== undefined && byId.id !== byAssistant.id
        ? fieldError("assistant_id", "This assistant is another agent's.")
        : noFieldErrors
  )
  return agent === undefined || hasFieldErrors(errors) ? Either.left(errors) : Either.right(agent)
}
