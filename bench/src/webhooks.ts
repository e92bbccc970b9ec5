/**
 * Processor time of rejecting a forged webhook at the address of an integration, in microseconds per request, and how it
 * compares with a webhook that is stored. The time of a PostgreSQL server and of HTTP is not in it.
 */
import { createHmac, randomBytes } from "node:crypto"
import {
  Agents,
  CurrentActor,
  hostActor,
  Organizations,
  Platforms,
  PlatformWebhooks,
  Projects,
  untrusted
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { median, timed } from "./measure.js"
import { rejectionBenchmark } from "./rejectionBenchmark.js"

interface Size {
  readonly rounds: number
  readonly forged: number
  readonly right: number
}

const TARGET_MICROS = 100
const IN_FLIGHT = 64
const SECRET = "key_0123456789"

const parse = (bytes: Uint8Array) =>
  Either.try({ try: (): unknown => JSON.parse(Buffer.from(bytes).toString()), catch: () => "not JSON" as const })

/** The report of a call of 20 turns, about 4 KB. */
const bodyOf = (id: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      event: "call_ended",
      call: {
        call_id: id,
        agent_id: "agent-1",
        start_timestamp: Date.now(),
        duration_ms: 60_000,
        transcript_object: Array.from({ length: 20 }, (_, n) => ({
          role: n % 2 === 0 ? "agent" : "user",
          content: "A sentence of some length that somebody says on the telephone. ".repeat(3),
          words: [{ word: "A", start: n * 3, end: n * 3 + 2 }]
        }))
      }
    })
  )

const signature = (body: Uint8Array, secret: string, at: number): string =>
  `v=${at},d=${createHmac("sha256", secret).update(body).update(String(at)).digest("hex")}`

const measure = ({ forged, right, rounds }: Size, print: (line: string) => void) =>
  Effect.gen(function* () {
    const { organization } = yield* (yield* Organizations).create({ name: "Attacked" })
    const actor = hostActor(organization.id)
    const as = Effect.provideService(CurrentActor, actor)
    const project = yield* as((yield* Projects).create(untrusted({ name: "Front desk" })))
    const agent = yield* as((yield* Agents).create(untrusted({ name: "Agent", project: project.id })))
    const { integration } = yield* as(
      (yield* Platforms.Integrations).create(untrusted({ platform: "retell", agent: agent.id, secret: SECRET }))
    )
    const webhooks = yield* PlatformWebhooks
    const address = integration.publicId

    const microsOf = (
      count: number,
      expected: boolean,
      request: (n: number) => { readonly publicId: string; readonly signed: Platforms.SignedRequest }
    ) =>
      Effect.gen(function* () {
        const micros: Array<number> = []
        for (let round = 0; round <= rounds; round++) {
          const requests = Array.from({ length: count }, (_, n) => request(round * count + n))
          let others = 0
          const sample = yield* timed(
            Effect.forEach(
              requests,
              ({ publicId, signed }) =>
                Effect.map(
                  Effect.exit(webhooks.receive(publicId, { ...signed, from: `198.51.100.${round}` }, parse)),
                  (exit) => {
                    if (Exit.isSuccess(exit) !== expected) others += 1
                  }
                ),
              { concurrency: IN_FLIGHT, discard: true }
            )
          )
          if (others > 0) throw new Error(`${others} requests were not ${expected ? "stored" : "rejected"}.`)
          // The first round warms up.
          if (round > 0) micros.push((sample.cpuMs * 1_000) / count)
        }
        return median(micros)
      })

    const body = bodyOf("forged")
    const headers = (value: string) => ({ "x-retell-signature": value })
    const stored = yield* microsOf(right, true, (n) => {
      const own = bodyOf(`call-${n}`)
      return { publicId: address, signed: { body: own, headers: headers(signature(own, SECRET, Date.now())) } }
    })
    print(`  a webhook that is stored            ${stored.toFixed(1)} us of processor time`)
    const kinds: Readonly<Record<string, (n: number) => { publicId: string; signed: Platforms.SignedRequest }>> = {
      "without a signature": () => ({ publicId: address, signed: { body, headers: {} } }),
      "signed with another secret": (n) => ({
        publicId: address,
        signed: { body, headers: headers(signature(body, `other-${n}`, Date.now())) }
      }),
      "signed too long ago": () => ({
        publicId: address,
        signed: { body, headers: headers(signature(body, SECRET, Date.now() - 3_600_000)) }
      }),
      "to addresses that do not exist": () => ({
        publicId: randomBytes(20).toString("base64url"),
        signed: { body, headers: headers(signature(body, SECRET, Date.now())) }
      })
    }
    for (const [kind, request] of Object.entries(kinds)) {
      const micros = yield* microsOf(forged, false, request)
      print(
        `  ${kind.padEnd(34)} ${micros.toFixed(1)} us of processor time (target: at most ${TARGET_MICROS}), ` +
          `ratio to a stored one ${(micros / stored).toFixed(2)}`
      )
    }
  })

export const webhooksBenchmark = rejectionBenchmark<Size>({
  name: "webhooks",
  full: { rounds: 3, forged: 10_000, right: 500 },
  tiny: { rounds: 1, forged: 100, right: 10 },
  about: ({ forged }) => `${forged} forged webhooks`,
  measure
})
