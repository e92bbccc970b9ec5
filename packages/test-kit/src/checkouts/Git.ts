/** The real git client, for tests: with nothing of the machine's configuration, and never asking anybody anything. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface GitOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface GitOptions {
  /** Headers sent along, the way docs/checkout.md shows: no file holds them. */
  readonly headers?: ReadonlyArray<string>
  readonly cwd?: string
  readonly config?: Readonly<Record<string, string>>
}

/** Whether tests with git run: they are skipped on a machine without git, except in CI, where they fail. */
export const runsGitTests = async (): Promise<boolean> =>
  (process.env.CI ?? "") !== "" || (await git(["version"])).code === 0

/** Runs git to its end. */
export const git = (args: ReadonlyArray<string>, options: GitOptions = {}): Promise<GitOutcome> => {
  const { config = {}, headers = [] } = options
  const settings = [
    ...headers.map((header) => ["http.extraHeader", header] as const),
    ...Object.entries(config),
    ["user.name", "Tester"] as const,
    ["user.email", "tester@example.com"] as const
  ]
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: tmpdir(),
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value]
      ])
    )
  }
  return new Promise((resolve) => {
    execFile(
      "git",
      [...args],
      { env, cwd: options.cwd ?? tmpdir(), timeout: 30_000, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr })
      }
    )
  })
}

/** The header that shows a token in HTTP's Basic scheme. */
export const basic = (username: string, token: string): string =>
  `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`

/** A folder that is gone when `remove` is called. */
export const temporaryFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "earshot-git-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A bare repository of one commit on its default branch `main`, with these files, by name and content. */
export const makeRepository = async (
  path: string,
  files: Readonly<Record<string, string | Uint8Array>>
): Promise<void> => {
  await expectDone(["init", "--quiet", "--bare", "--initial-branch=main", path])
  await addCommit(path, files)
}

/** Another commit on `main`. */
export const addCommit = async (path: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
  const work = temporaryFolder()
  try {
    await expectDone(["clone", "--quiet", path, work.path])
    for (const [name, text] of Object.entries(files)) writeFileSync(join(work.path, name), text)
    await expectDone(["add", "--all"], work.path)
    await expectDone(["commit", "--quiet", "-m", "A commit"], work.path)
    await expectDone(["push", "--quiet", "origin", "HEAD:main"], work.path)
  } finally {
    work.remove()
  }
}

const expectDone = async (args: ReadonlyArray<string>, cwd?: string): Promise<void> => {
  const { code, stderr } = await git(args, cwd === undefined ? {} : { cwd })
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
}
