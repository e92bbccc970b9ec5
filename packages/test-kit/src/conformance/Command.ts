/** The command `earshot-conformance`. */
import { parseArgs } from "node:util"
import { checksFor, type ConformanceOptions, runConformance } from "./Conformance.js"
import { printResult, printSummary } from "./Print.js"

const USAGE = `earshot-conformance --url URL --api-key KEY

Runs the interface's rules against the server at URL and prints what was tried.
Takes a key that may do everything, of an organisation that is used for nothing
else: it makes projects, calls and keys there, and takes them away afterwards.

  --url URL             the server's base address
  --api-key KEY         its key; EARSHOT_API_KEY unless given
  --other-api-key KEY   a key of another organisation, to try that the two see
                        nothing of each other; EARSHOT_OTHER_API_KEY unless given
  --project ID          a project to use, for servers that make none
  --agent ID            an agent in it to use, likewise
  --repo NAME           a repository that the key's organisation may check out;
                        no checkout succeeds unless given
  --max-body BYTES      the largest body that the server takes; unless given
                        10485760 is tried, and skipped where it takes more
  --max-upload BYTES    the same of multipart bodies; skipped unless given
  --rate-limit N        requests a minute that it lets a credential make, which
                        a key made for that then spends; skipped unless given
  --processes N         processes that it runs as: they know what one of them
                        revoked five seconds later, and not at once
  --only NAME           the checks alone that begin so, such as E4 or
                        E10/redaction; may be repeated
  --timeout SECONDS     for all of it; 300 unless given
  --list                prints the checks and tries none
  --json                prints one JSON document instead of a table
  --help                prints this

Ends with 0 where every rule is kept, with 1 where one is broken or could not be
tried in time, and with 2 where the command is not understood.`

export interface Output {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

const options = {
  url: { type: "string" },
  "api-key": { type: "string" },
  "other-api-key": { type: "string" },
  project: { type: "string" },
  agent: { type: "string" },
  repo: { type: "string" },
  "max-body": { type: "string" },
  "max-upload": { type: "string" },
  "rate-limit": { type: "string" },
  processes: { type: "string" },
  only: { type: "string", multiple: true },
  timeout: { type: "string" },
  list: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean" }
} as const

const readArgs = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const wholeNumber = (text: string | undefined): number | null | undefined =>
  text === undefined ? undefined : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null

const isServer = (text: string): boolean => URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol)

/** Runs the command: the exit code. */
export const runCommand = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>,
  { error, out }: Output
): Promise<0 | 1 | 2> => {
  const given = readArgs(args)
  const misused = (what: string): 2 => {
    error(`${what}\n\n${USAGE}`)
    return 2
  }
  if (typeof given === "string") return misused(given)
  if (given.help === true) {
    out(USAGE)
    return 0
  }
  const chosen = checksFor(given.only)
  if (chosen.length === 0) return misused(`No check begins with ${(given.only ?? []).join(", ")}.`)
  if (given.list === true) {
    for (const { id, rule } of chosen) out(`${id.padEnd(30)} ${rule}`)
    return 0
  }
  const apiKey = given["api-key"] ?? environment.EARSHOT_API_KEY
  if (given.url === undefined || !isServer(given.url))
    return misused("--url takes the address of a server, which begins with http:// or https://.")
  if (apiKey === undefined || apiKey === "") return misused("--api-key is missing.")
  const numbers = {
    project: wholeNumber(given.project),
    agent: wholeNumber(given.agent),
    seconds: wholeNumber(given.timeout),
    bodyBytes: wholeNumber(given["max-body"]),
    uploadBytes: wholeNumber(given["max-upload"]),
    requestsAMinute: wholeNumber(given["rate-limit"]),
    processes: wholeNumber(given.processes)
  }
  const { agent, bodyBytes, processes, project, requestsAMinute, seconds, uploadBytes } = numbers
  if (project === null || agent === null || seconds === null)
    return misused("--project, --agent and --timeout take whole numbers from 1 on.")
  if (bodyBytes === null || uploadBytes === null || requestsAMinute === null || processes === null)
    return misused("--max-body, --max-upload, --rate-limit and --processes take whole numbers from 1 on.")
  const settings: ConformanceOptions = {
    url: given.url,
    apiKey,
    otherApiKey: given["other-api-key"] ?? environment.EARSHOT_OTHER_API_KEY,
    project,
    agent,
    repo: given.repo,
    seconds,
    limits: { bodyBytes, uploadBytes, requestsAMinute, processes },
    only: given.only,
    ...(given.json === true ? {} : { onResult: (result) => out(printResult(result)) })
  }
  const report = await runConformance(settings)
  out(given.json === true ? JSON.stringify(report, null, 2) : `\n${printSummary(report)}`)
  return report.failed === 0 ? 0 : 1
}
