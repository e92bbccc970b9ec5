/**
 * Processor time of refusing a wrong credential, in microseconds per attempt: what an attacker or a misconfigured client
 * costs, with 64 and with 256 attempts in flight at a time, which share lookups. The time of a PostgreSQL server is not in it.
 */
import { randomInt } from "node:crypto"
import { crc32 } from "node:zlib"
import { Credentials, CurrentActor, hostActor, Organizations, type Presented, Tokens } from "@earshot/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { median, timed } from "./measure.js"
import { rejectionBenchmark } from "./rejectionBenchmark.js"

interface Size {
  readonly rounds: number
  readonly attempts: number
}

const TARGET_MICROS = 50
const IN_FLIGHT = [64, 256]
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("")

/** A key that was never issued, with the right checksum, which anybody can compute. */
const wellFormedKey = (): string => {
  const body = `ear_${randomText(43)}`
  let checksum = ""
  for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / ALPHABET.length)) {
    checksum = ALPHABET.charAt(rest % ALPHABET.length) + checksum
  }
  return body + checksum
}

/** The token with the last character of its signature's beginning changed, so that the signature is wrong. */
const forge = (token: string): string => {
  const [header, claims, signature = ""] = token.split(".")
  return `${header}.${claims}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`
}

const withUnknownKey = (token: string): string => {
  const header = { alg: "HS256", typ: "earshot.oauth2+jwt", kid: randomText(16) }
  return `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${token.split(".").slice(1).join(".")}`
}

const measure = ({ attempts, rounds }: Size, print: (line: string) => void) =>
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const organizations = yield* Organizations
    const tokens = yield* Tokens
    const { organization } = yield* organizations.create({ name: "Attacked" })
    const issued = yield* tokens
      .issue({ kind: "oauth2" })
      .pipe(Effect.provideService(CurrentActor, hostActor(organization.id)))
    const token = Redacted.value(issued.token)
    const oneKey = wellFormedKey()
    const kinds: Readonly<Record<string, () => Presented>> = {
      "no key at all": () => ({ apiKey: "guess" }),
      "the same key, never issued": () => ({ apiKey: oneKey }),
      "keys that were never issued": () => ({ apiKey: wellFormedKey() }),
      "a token with a wrong signature": () => ({ bearer: forge(token) }),
      "tokens of unknown signing keys": () => ({ bearer: withUnknownKey(token) })
    }
    let addresses = 0
    /** Microseconds of an attempt in each round but the first, which warms up. */
    const microsOf = (present: () => Presented, inFlight: number) =>
      Effect.gen(function* () {
        const micros: Array<number> = []
        // Made in advance and kept, so that no collection of garbage of the benchmark's own falls into a round.
        const ofRounds = Array.from({ length: rounds + 1 }, () => Array.from({ length: attempts }, present))
        for (const [round, presented] of ofRounds.entries()) {
          const address = `198.51.100.${addresses++}`
          // One fiber for each connection, since a server starts one for each request whether its key is right or wrong.
          const connections = Arr.chunksOf(presented, Math.ceil(attempts / inFlight))
          const sample = yield* timed(
            Effect.forEach(
              connections,
              (ofConnection) =>
                Effect.forEach(
                  ofConnection,
                  (one) => Effect.exit(credentials.admit("projects.list", one, { from: address })),
                  { discard: true }
                ),
              { concurrency: inFlight, discard: true }
            )
          )
          if (round > 0) micros.push((sample.cpuMs * 1_000) / attempts)
        }
        return micros
      })
    for (const [kind, present] of Object.entries(kinds)) {
      const medians = yield* Effect.forEach(IN_FLIGHT, (inFlight) => Effect.map(microsOf(present, inFlight), median))
      const figures = medians.map((micros, index) => `${micros.toFixed(1)} us with ${IN_FLIGHT[index]} in flight`)
      print(`  ${kind.padEnd(34)} ${figures.join(", ")} (processor time, target: at most ${TARGET_MICROS})`)
    }
  })

export const wrongKeysBenchmark = rejectionBenchmark<Size>({
  name: "wrong-keys",
  full: { rounds: 7, attempts: 5_000 },
  tiny: { rounds: 1, attempts: 200 },
  about: ({ attempts }) => `${attempts} wrong credentials`,
  measure
})
