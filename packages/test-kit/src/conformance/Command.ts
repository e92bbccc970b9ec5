/** The command `earshot-conformance`. */
import { parseArgs } from "node:util"
import { checksFor, type ConformanceOptions, findObstacle, runConformance } from "./Conformance.js"
import { printResult, printSummary } from "./Print.js"

const USAGE = `earshot-conformance --url URL --api-key KEY

Check that the server at URL follows the interface. The key needs all
permissions in an organization that is used for nothing else: the checks create
projects, calls and keys there and delete them afterwards.

  --url URL             Base URL of the server
  --api-key KEY         API key (default: EARSHOT_API_KEY)
  --other-api-key KEY   API key of another organization, to check that the two
                        are isolated (default: EARSHOT_OTHER_API_KEY)
  --project ID          Project to use, if the server cannot create projects
  --agent ID            Agent of that project to use
  --repo NAME           Repository that the key's organization may check out
                        (default: skip successful checkouts)
  --max-body BYTES      Body size limit of the server (default: 10485760; skip
                        if the server accepts more)
  --max-upload BYTES    Multipart body size limit (default: skip)
  --rate-limit N        Requests per minute and credential; the checks exhaust
                        it with a key of their own (default: skip)
  --processes N         Server processes; with several, revocations may take
                        five seconds (default: 1)
  --only NAME           Run only checks with this id or prefix, such as E4 or
                        E10/redaction; repeatable
  --timeout SECONDS     Time limit of all checks (default: 300)
  --list                Print the checks without running them
  --json                Print one JSON document instead of a table
  --help                Print this help

Exit codes: 0 all checks passed or were skipped, 1 a check failed or did not run
in time, 2 usage error, or the server cannot be reached or rejects the key.`

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

type Given = Exclude<ReturnType<typeof readArgs>, string>

/** The settings of the checks, or what is wrong with the options. */
const settingsOf = (
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): ConformanceOptions | string => {
  const apiKey = given["api-key"] ?? environment.EARSHOT_API_KEY
  if (given.url === undefined || !isServer(given.url)) return "--url requires an http:// or https:// URL."
  if (apiKey === undefined || apiKey === "") return "--api-key is required."
  const [project, agent, seconds] = [given.project, given.agent, given.timeout].map(wholeNumber)
  const [bodyBytes, uploadBytes] = [given["max-body"], given["max-upload"]].map(wholeNumber)
  const [requestsPerMinute, processes] = [given["rate-limit"], given.processes].map(wholeNumber)
  if (project === null || agent === null || seconds === null)
    return "--project, --agent and --timeout require positive integers."
  if (bodyBytes === null || uploadBytes === null || requestsPerMinute === null || processes === null)
    return "--max-body, --max-upload, --rate-limit and --processes require positive integers."
  return {
    url: given.url,
    apiKey,
    otherApiKey: given["other-api-key"] ?? environment.EARSHOT_OTHER_API_KEY,
    project,
    agent,
    repo: given.repo,
    seconds,
    limits: { bodyBytes, uploadBytes, requestsPerMinute, processes },
    only: given.only
  }
}

/** Runs the command; returns the exit code. */
export const runCommand = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>,
  { error, out }: Output
): Promise<0 | 1 | 2> => {
  const given = readArgs(args)
  const usageError = (message: string): 2 => {
    error(`${message}\n\n${USAGE}`)
    return 2
  }
  if (typeof given === "string") return usageError(given)
  if (given.help === true) {
    out(USAGE)
    return 0
  }
  const chosen = checksFor(given.only)
  if (chosen.length === 0) return usageError(`No check has the id or prefix ${(given.only ?? []).join(", ")}.`)
  if (given.list === true) {
    for (const { id, rule } of chosen) out(`${id.padEnd(30)} ${rule}`)
    return 0
  }
  const settings = settingsOf(given, environment)
  if (typeof settings === "string") return usageError(settings)
  const obstacle = await findObstacle(settings)
  if (obstacle !== null) {
    error(obstacle)
    return 2
  }
  const report = await runConformance({
    ...settings,
    ...(given.json === true ? {} : { onResult: (result) => out(printResult(result)) })
  })
  out(given.json === true ? JSON.stringify(report, null, 2) : `\n${printSummary(report)}`)
  return report.failed === 0 ? 0 : 1
}
