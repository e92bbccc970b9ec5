import { effect, flakyTest, it, layer, live, prop, scoped, scopedLive } from "@effect/vitest"
import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"
import { afterEach } from "vitest"
import { parameters } from "../src/Property.js"

/** Properties without a seed use the kit's, in every package, so that tests repeat. */
const { seed } = parameters(1)
fc.configureGlobal(seed === undefined ? {} : { seed })

// `layer` of @effect/vitest 0.30 puts its own testers onto the `it` that all files of a process share: the files that come
// after one with a layer would run on that layer, with its clock.
Object.assign(it, { effect, flakyTest, layer, live, prop, scoped, scopedLive })

// Vitest does not end the processes of a run that was killed: their tests would go on, and keep a core busy. It replaces
// `process.exit` by a function that throws.
if (process.listenerCount("disconnect") === 0) process.once("disconnect", () => process.kill(process.pid, "SIGKILL"))

// Tests that only compute leave no turn to others: Vitest would wait for its own answers until it fails the run, after a
// minute.
afterEach(() => setImmediate())
