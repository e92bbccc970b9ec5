/** What is charged, through a door. */
import * as fc from "fast-check"
import { type AsyncLaw, asyncLaw, expectSame } from "../Law.js"
import { type CallStep, noCalls, stepCalls } from "./CallModel.js"
import { ask, type CallWorld, expectedCharges, seenCharges } from "./CallWalks.js"

/** What redaction is charged. Each try asks for a world of its own. */
export const chargeLaws = (world: () => Promise<CallWorld>): ReadonlyArray<AsyncLaw> => [
  asyncLaw(
    "the redaction of a call is charged once, by the first length that is known, however often it is delivered",
    [
      fc.array(fc.record({ seconds: fc.constantFrom(undefined, 1, 10, 90), redact: fc.boolean() }), {
        minLength: 2,
        maxLength: 5
      })
    ],
    async (deliveries) => {
      const real = await world()
      let state = noCalls
      for (const { redact, seconds } of deliveries) {
        const step: CallStep = { does: "deliver", name: "a", redact, ...(seconds === undefined ? {} : { seconds }) }
        await ask(real, step, new Map())
        state = stepCalls(state, step).state
      }
      expectSame("the charges", await seenCharges(real), expectedCharges(state))
      return true
    },
    20
  )
]
