import { JsonObject, TranscriptFormat, TranscriptView } from "@earshot/core"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

/** What each shipped sample call says, when the talk ends, and which tools were called from when to when. */
const samples = {
  service: {
    turns: [
      ["Main Agent", 0.4, 5.17, "Good morning, Maple Street Dental, this is Nora. How can I help you today?"],
      ["Testing Agent", 5.68, 10.84, "Hi, I have a cleaning booked for tomorrow at nine and I can't make it."],
      ["Main Agent", 11.27, 16.09, "No problem, I can move that for you. May I have your full name?"],
      ["Testing Agent", 16.82, 17.8, "Teresa Lindqvist."],
      [
        "Main Agent",
        18.68,
        24.31,
        "Thank you, Teresa. I see the cleaning tomorrow at nine with Dr. Okafor. Which days work better?"
      ],
      ["Testing Agent", 25.12, 27.66, "Any afternoon next week, but not Wednesday."],
      ["Main Agent", 28.11, 31.67, "I have Tuesday at two thirty or Friday at four."],
      ["Testing Agent", 32.89, 35.13, "Tuesday at two thirty is great."],
      ["Main Agent", 35.71, 40.87, "Done: Tuesday at two thirty with Dr. Okafor. Shall I send a reminder by text?"],
      ["Testing Agent", 42.22, 44.26, "Yes please, to this number."],
      ["Main Agent", 43.86, 46.62, "You're all set. Is there anything else?"],
      ["Testing Agent", 47.02, 48.82, "No, that's all. Thanks!"],
      ["Main Agent", 49.47, 51.41, "Have a lovely day, goodbye."]
    ],
    tools: [],
    end: 51.41
  },
  service_legacy: {
    turns: [
      ["Main Agent", 0.2, 4.04, "Thanks for calling Forno Rosso. Is this for pickup or delivery?"],
      ["Testing Agent", 5.25, 6.27, "Delivery, please."],
      ["Main Agent", 7.23, 9.91, "What can I get started for you?"],
      ["Testing Agent", 10.65, 13.93, "One large margherita and, uh, a small caesar salad."],
      ["Main Agent", 14.35, 17.5, "One large margherita, one small caesar. Anything to drink?"],
      ["Testing Agent", 18.07, 19.52, "Two sparkling waters."],
      ["Main Agent", 20.32, 22.3, "Where should we bring it?"],
      ["Testing Agent", 23.26, 25.27, "14 Harbor Lane, second floor."],
      ["Main Agent", 25.93, 30.2, "That will be 31 dollars and about forty minutes. Cash or card?"],
      ["Testing Agent", 31.28, 32.93, "Card at the door."],
      ["Main Agent", 33.88, null, "Perfect, see you soon."]
    ],
    tools: [],
    end: 32.93
  },
  provider_a: {
    turns: [
      ["Main Agent", 1.1, 3.8, "Northside Plumbing, emergency line. What's going on?"],
      ["Testing Agent", 4.45, 7.53, "There is water coming through my kitchen ceiling!"],
      ["Main Agent", 8, 12.48, "I'm sorry to hear that. First, can you reach the main shut-off valve?"],
      ["Testing Agent", 13.62, 16.18, "Yes, I closed it a minute ago."],
      ["Main Agent", 17.04, 18.64, "Great. What's the address?"],
      ["Testing Agent", 19.69, 21.78, "22 Alder Court, apartment five."],
      ["Main Agent", 22.73, 26.09, "Thank you. Let me look for the nearest crew."],
      [
        "Main Agent",
        29.17,
        35.58,
        "A plumber can be with you by 6:40 this evening. The call-out is 120 dollars. Shall I book it?"
      ],
      ["Testing Agent", 36.55, 37.97, "Yes, book it."],
      ["Main Agent", 38.8, 44.01, "Booked. You'll get a text when the van leaves. Keep the valve closed until then."],
      ["Testing Agent", 45.35, 47.37, "Okay, thank you so much."],
      ["Main Agent", 48.42, 49.72, "You're welcome. Goodbye."]
    ],
    tools: [["find_crew", 26.29, 27.59]],
    end: 49.72
  },
  provider_b: {
    turns: [
      ["Main Agent", 0.8, 4.1, "Welcome to Bluebird Car Rental, how can I help?"],
      ["Testing Agent", 5.49, 8.84, "I'd like to extend my rental by two days."],
      ["Main Agent", 9.49, 13.04, "Sure. Can you key in your six digit reservation number?"],
      ["Testing Agent", 14.09, 15.07, "One second."],
      ["Main Agent", 15.9, 19.7, "Thanks, I found it: a compact, due back Friday at noon."],
      ["Testing Agent", 20.17, 22.7, "Right, and I need it until Sunday."],
      ["Main Agent", 23.86, 27.03, "Sunday at noon adds 84 dollars. Is that okay?"],
      ["Testing Agent", 27.64, 31.81, "Yes. Could I also speak to the branch about a warning light?"],
      ["Main Agent", 31.41, 34.57, "Of course, I'll connect you with the Riverside branch."],
      ["Testing Agent", 35.39, 37.12, "Riverside branch, Marco speaking."],
      ["Main Agent", 38.4, 42.67, "Marco, I have a customer with a warning light in a compact."],
      ["Testing Agent", null, null, "Thanks, put them through."]
    ],
    tools: [
      ["find_reservation", 15.17, 15.8],
      ["warm_transfer", null, null]
    ],
    end: 42.67
  },
  provider_c: {
    turns: [
      ["Main Agent", 0.32, 3.86, "Lakeside Power, outage line. Are you calling about an outage?"],
      ["Testing Agent", 5.14, 7.59, "Yes, our whole street is dark."],
      ["Main Agent", 8.1, 9.73, "Which street is that?"],
      ["Testing Agent", 10.32, 12.28, "Willow Road, near the school."],
      ["Main Agent", 13.14, 17.36, "I see forty two homes affected there. A crew is on site."],
      ["Testing Agent", 17.99, 19.89, "Any idea when it's back?"],
      ["Main Agent", 20.68, 23.6, "We expect power back by nine thirty tonight."],
      ["Testing Agent", 23.2, 25.03, "Can you text me?"],
      ["Main Agent", 26.11, 29.69, "Yes, I'll text this number as soon as it's restored."],
      ["Testing Agent", 30.69, 31.83, "Great, bye."]
    ],
    tools: [],
    end: 31.83
  },
  provider_d: {
    turns: [
      ["Main Agent", 0, 2.63, "Hotel Bellavista, reservations. How may I help?"],
      ["Testing Agent", 3.94, null, "Hello, do you have a double room for the 18th to the 20th of July?"],
      ["Main Agent", 9.98, 12.32, "Let me check that for you."],
      ["Main Agent", 12.69, 17.18, "Yes, a double with lake view at 165 euros a night, breakfast included."],
      ["Testing Agent", 17.72, null, "Is parking included too?"],
      ["Main Agent", 20.5, 24.3, "Parking is 12 euros a day, and we have charging stations."],
      ["Testing Agent", 25.15, null, "Perfect. Please book it under Grüneberg."],
      ["Main Agent", 28.47, 34.17, "Booked for Grüneberg, 18th to 20th of July. The confirmation number is B V 7 3 1."],
      ["Testing Agent", 35.06, null, "Danke, bis dann!"],
      ["Main Agent", 37.65, 39.27, "See you in July!"]
    ],
    tools: [["check_availability", 12.37, 12.64]],
    end: 39.27
  },
  provider_e: {
    turns: [
      ["Main Agent", 1.35, 5.17, "Hi, this is Pulse Gym. What can I do for you?"],
      ["Testing Agent", 5.81, 9.14, "I want to pause my membership for two months."],
      ["Main Agent", 10.02, 13.61, "Happy to help. Can you tell me your member number?"],
      ["Testing Agent", 14.76, 16.58, "Four four one seven."],
      ["Main Agent", 17.4, 22.55, "Thanks. You are on the flex plan. Pause from April first to May thirty first?"],
      ["Testing Agent", 23.43, 24.84, "Exactly, I'm travelling."],
      ["Main Agent", 25.92, 27.93, "Let me set that up"],
      ["Testing Agent", 27.53, 30.17, "Oh wait, will I lose my discount?"],
      ["Main Agent", 32.71, 38.19, "No, your discount stays as it is. The pause is set and you'll get an email."],
      ["Testing Agent", 39.46, 40.67, "Wonderful, thanks."],
      ["Main Agent", 41.29, 42.4, "Safe travels!"]
    ],
    tools: [["pause_membership", 30.57, 31.07]],
    end: 42.4
  },
  provider_f: {
    turns: [
      ["Main Agent", 0, null, "Spoke and Chain Bike Repair, what can we fix?"],
      ["Testing Agent", 3, null, "Hey, my rear wheel wobbles and the brakes squeal."],
      ["Main Agent", 7, null, "Got it. Is that a road bike or a mountain bike?"],
      ["Testing Agent", 12, null, "A road bike, 28 inch."],
      ["Main Agent", 17, null, "We can take it in on Thursday morning. A wheel truing and brake check is 45 dollars."],
      ["Testing Agent", 24, null, "Thursday works. How long will it take?"],
      ["Main Agent", 27, null, "You'd have it back on Friday by noon."],
      ["Testing Agent", 32, null, "Sounds good, my name is Priya."],
      ["Main Agent", 35, null, "Thanks Priya, you're booked for Thursday. Anything else?"],
      ["Testing Agent", 39, null, "Nope, bye!"]
    ],
    tools: [["next_free_slot", 15, 15]],
    end: undefined
  }
} as const

const SampleBody = Schema.Struct({
  call_id: Schema.String.pipe(Schema.maxLength(100)),
  transcript_type: Schema.String,
  transcript_json: Schema.Unknown,
  call_ended_reason: Schema.String,
  customer_number: Schema.String.pipe(Schema.pattern(/^\+1\d{3}55501\d\d$/)),
  metadata: JsonObject,
  main_agent_channel_index: Schema.optional(Schema.Literal(0, 1))
})

const bodyOf = (type: string) => {
  const file = new URL(`../../../cli-adapter/samples/${type}.json`, import.meta.url)
  return Schema.decodeUnknownSync(SampleBody)(JSON.parse(readFileSync(file, "utf8")))
}

describe("the shipped sample calls", () => {
  it.each(Object.entries(samples))("of %s decode to the expected turns", (type, { end, tools, turns }) => {
    const body = bodyOf(type)
    expect(body.transcript_type).toBe(type)
    const transcript = Either.getOrThrowWith(
      TranscriptFormat.builtIn.decode(type, body.transcript_json, {
        mainAgentChannelIndex: body.main_agent_channel_index
      }),
      (errors) => new Error(JSON.stringify(errors))
    )
    const shown = TranscriptView.transcriptObject({ ...transcript, _tag: "RedactedTranscript" })
    expect(shown.map((item) => [item.role, item.start_time, item.end_time, item.content])).toStrictEqual(turns)
    expect(transcript.toolCalls.map((call) => [call.name, call.startTime ?? null, call.endTime ?? null])).toStrictEqual(
      tools
    )
    expect(TranscriptView.endOf(transcript)).toBe(end)
  })

  it("are different calls", () => {
    const ids = Object.keys(samples).map((type) => bodyOf(type).call_id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
