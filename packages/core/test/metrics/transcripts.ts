import {
  type FormulaName,
  type FormulaResult,
  formulaContext,
  type Json,
  measure,
  type Speaker,
  type ToolCall,
  type Turn
} from "@earshot/core"

const turn =
  (speaker: Speaker) =>
  (content: string, startTime?: number, endTime?: number): Turn => ({
    speaker,
    content,
    startTime,
    endTime,
    words: []
  })
export const agent = turn("main_agent")
export const user = turn("testing_agent")

/** Agent 0-2, user 3-5, agent 5.5-7.5, user 8-9, agent 10-12. */
export const plain = [
  agent("Hello, how can I help you today?", 0, 2),
  user("I need a table for two.", 3, 5),
  agent("For which evening would that be?", 5.5, 7.5),
  user("Friday.", 8, 9),
  agent("Booked for Friday evening.", 10, 12)
]

/** User 0-4, agent 3-6, user 5-8, agent 9-13 in two turns that overlap; in no order. */
export const overlapping = [
  agent("one table left for you", 10.5, 13),
  user("I said I need a table", 0, 4),
  agent("So there is one table", 9, 11),
  user("wait, for two", 5, 8),
  agent("Let me check that", 3, 6)
]

/** User 0-1, agent 4.5-5, user 6-7, agent 19-20, user 21-22; the call lasts 40 s. */
export const silent = [
  user("Hello?", 0, 1),
  agent("Hi.", 4.5, 5),
  user("A table please", 6, 7),
  agent("Sorry, I didn't catch that.", 19, 20),
  user("A table", 21, 22)
]

/** Two turns have no end. */
export const open = [
  agent("Hello, how can I help you?", 0, 2),
  user("A table", 3),
  agent("For when?", 6, 7),
  user("Friday", 8, 9),
  agent("Done", 10)
]

export const agentAlone = [agent("Please leave a message", 0, 3), agent("after the tone", 5, 8)]
export const userAlone = [user("Hello?", 0, 3), user("Anybody?", 4, 5)]
export const unplaced = [agent("Hello"), user("Hi", 1, 2)]

const durations = new Map<ReadonlyArray<Turn>, number>([
  [plain, 12],
  [overlapping, 13],
  [silent, 40],
  [open, 10],
  [agentAlone, 8],
  [userAlone, 5]
])

export const measureTurns = (
  name: FormulaName,
  turns: ReadonlyArray<Turn>,
  { configuration = null, tools = [] }: { readonly configuration?: Json; readonly tools?: ReadonlyArray<ToolCall> } = {}
): FormulaResult =>
  measure(
    name,
    formulaContext({ turns, toolCalls: tools, durationSeconds: durations.get(turns) ?? null }),
    configuration
  )

export const NOBODY = "Nobody speaks in the transcript."
export const NO_AGENT = "The agent does not speak in the transcript."
export const NO_USER = "The user does not speak in the transcript."
export const NO_END = "2 turns have no end time."
export const NO_LENGTH = "Neither transcript nor recording gives the duration of the call."
export const NO_START = "1 turn has no start time."
