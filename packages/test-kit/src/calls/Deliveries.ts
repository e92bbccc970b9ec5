import type { CalledAgent, Delivery } from "@earshot/core"
import * as DateTime from "effect/DateTime"

/** So many minutes after the beginning of 2026. */
export const at = (minute: number): DateTime.Utc => DateTime.unsafeMake(Date.UTC(2026, 0, 1, 0, minute))

/** A delivery of a call that states nothing, or what is given. */
export const delivery = (agent: CalledAgent, callId: string, stated: Partial<Delivery> = {}): Delivery => ({
  agent,
  callId,
  traceId: undefined,
  timestamp: undefined,
  customerNumber: undefined,
  callEndedReason: undefined,
  feedback: undefined,
  metadata: undefined,
  dynamicVariables: undefined,
  transcript: undefined,
  recording: undefined,
  recordingError: undefined,
  metricIds: undefined,
  evaluates: true,
  redactFields: [],
  dropsRecording: false,
  receivedAt: at(0),
  ...stated
})
