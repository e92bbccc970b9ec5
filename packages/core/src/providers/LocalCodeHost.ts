/**
 * Bare repositories in a folder of this machine, and git's own programs that read them. The only part of the engine that
 * needs git installed.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { printSecret, SECRET_BYTES } from "../access/Secret.js"
import { SecretSource } from "../access/SecretSource.js"
import { CHECKOUT_SECONDS } from "../checkouts/Checkout.js"
import { type CodeHostFailed, RepositoryBusy, RepositoryUnavailable } from "../checkouts/CheckoutErrors.js"
import type { CodeHost, HostCheckout } from "../checkouts/CodeHost.js"
import { LOCAL, REPOSITORIES_PATH } from "../checkouts/Local.js"
import type { LocalRepository, Serving, ServingError } from "../checkouts/RepositoryServer.js"
import { fieldError, noFieldErrors } from "../kernel/FieldErrors.js"
import { failed } from "./CodeHostHttp.js"

export interface LocalCodeHostConfig {
  /** The folder that holds the repositories, as `FOLDER/ORGANIZATION ID/NAME.git`. */
  readonly directory: string
  /**
   * Where clients reach this engine's server, base path included and without a slash at its end, for example
   * `https://earshot.example`. A function if it is known only once the server listens.
   */
  readonly publicUrl: string | (() => string | undefined)
  /** The program. Default: `git` from PATH. */
  readonly git?: string
  /** Clones served at a time. Default: 16. Further ones get `RepositoryBusy`. */
  readonly maxProcesses?: number
  /** Clones served at a time for one organization. Default: half of `maxProcesses`, so that none starves the others. */
  readonly maxProcessesPerOrganization?: number
  /** The time limit of a clone in seconds. Default: 600. */
  readonly maxSeconds?: number
}

/** Git's header, as git's own server lets it through: `version=2`, keys and values of plain characters. */
const PROTOCOL = /^[a-z0-9=.:_-]{1,200}$/

const NO_GIT = failed(
  "git is not installed on the machine that holds the repositories, or cannot be run. Install it; only code hosts of the kind local need it."
)

const UNREADABLE = failed("The repository could not be read.")

/** A pkt-line. Source: git's Documentation/gitprotocol-common. */
const packetLine = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text
const FLUSH = "0000"
/** What precedes the refs in versions 0 and 1 of the protocol, and in version 2 does not. */
const ADVERTISEMENT = Buffer.from(packetLine("# service=git-upload-pack\n") + FLUSH)

interface Finished {
  readonly code: number | null
  readonly stdout: string
}

export const makeLocalCodeHost = (
  config: LocalCodeHostConfig
): { readonly host: CodeHost; readonly serving: Serving } => {
  const { directory, git = "git", maxProcesses = 16, maxSeconds = 600 } = config
  const { maxProcessesPerOrganization = Math.max(1, Math.floor(maxProcesses / 2)) } = config
  let processes = 0
  const processesOf = new Map<number, number>()

  /** A slot for a clone, until the scope closes. */
  const place = ({ organizationId }: LocalRepository) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const own = processesOf.get(organizationId) ?? 0
        if (processes >= maxProcesses || own >= maxProcessesPerOrganization) return new RepositoryBusy()
        processes++
        processesOf.set(organizationId, own + 1)
        return Effect.void
      }),
      () =>
        Effect.sync(() => {
          processes--
          const own = processesOf.get(organizationId) ?? 0
          if (own > 1) processesOf.set(organizationId, own - 1)
          else processesOf.delete(organizationId)
        })
    )

  /**
   * Starts git with an environment of its own: this process's holds secrets. Only the repository's configuration is read.
   */
  const start = (args: ReadonlyArray<string>, protocol?: string): ChildProcessByStdio<Writable, Readable, null> => {
    const child = spawn(git, args, {
      stdio: ["pipe", "pipe", "ignore"],
      // A process group of its own, so that its children are killed with it.
      detached: true,
      env: {
        PATH: process.env.PATH ?? "",
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_TERMINAL_PROMPT: "0",
        GIT_NO_LAZY_FETCH: "1",
        ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol })
      }
    })
    // A child that ends early leaves its input unread.
    child.stdin.on("error", () => undefined)
    return child
  }

  const kill = (child: ChildProcessByStdio<Writable, Readable, null>): void => {
    child.stdout.destroy()
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const { pid } = child
    Option.liftThrowable(() => process.kill(-pid, "SIGKILL"))()
  }

  /** The path of a bare repository. It must be its real path, so that neither links nor another case of the name match. */
  const locate = (repository: LocalRepository): Effect.Effect<string, RepositoryUnavailable> =>
    Effect.tryPromise({
      try: async () => {
        const root = await realpath(directory)
        const path = join(root, String(repository.organizationId), `${repository.name}.git`)
        return { path, real: await realpath(path) }
      },
      catch: () => new RepositoryUnavailable()
    }).pipe(
      Effect.filterOrFail(
        ({ path, real }) => path === real,
        () => new RepositoryUnavailable()
      ),
      Effect.map(({ path }) => path)
    )

  /** Runs a short command. */
  const run = (args: ReadonlyArray<string>): Effect.Effect<Finished, CodeHostFailed> =>
    Effect.async((resume) => {
      const child = start(args)
      const chunks: Array<Buffer> = []
      const timer = setTimeout(() => kill(child), 10_000)
      child.stdin.end()
      child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
      child.once("error", () => {
        clearTimeout(timer)
        resume(NO_GIT)
      })
      child.once("close", (code) => {
        clearTimeout(timer)
        resume(Effect.succeed({ code, stdout: Buffer.concat(chunks).toString().trim() }))
      })
      return Effect.sync(() => {
        clearTimeout(timer)
        kill(child)
      })
    })

  /** The output of git on a repository; the process is killed when the stream ends or is left early. */
  const output = (
    repository: LocalRepository,
    protocol: string | undefined,
    args: ReadonlyArray<string>,
    input: Uint8Array,
    heading: ReadonlyArray<Uint8Array> = []
  ): Stream.Stream<Uint8Array, ServingError> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const path = yield* locate(repository)
        yield* place(repository)
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const started = start(["upload-pack", "--stateless-rpc", "--strict", ...args, path], protocol)
            const timer = setTimeout(() => kill(started), maxSeconds * 1000)
            timer.unref()
            // Node discards the output of a child that exits before anything reads it, and events come only once: a busy
            // process may continue this fiber after the child's end.
            started.stdout.on("readable", () => undefined)
            const spawned = new Promise<boolean>((resolve) => {
              started.once("spawn", () => {
                resolve(true)
              })
              started.once("error", () => {
                resolve(false)
              })
            })
            const ended = new Promise<number | null>((resolve) => {
              started.once("close", (code) => {
                clearTimeout(timer)
                resolve(code)
              })
            })
            return { started, timer, spawned, ended }
          }),
          ({ started, timer }) =>
            Effect.sync(() => {
              clearTimeout(timer)
              kill(started)
            })
        )
        if (!(yield* Effect.promise(() => child.spawned))) return yield* NO_GIT
        child.started.stdin.end(input)
        const written = Stream.fromAsyncIterable(child.started.stdout, () => UNREADABLE).pipe(
          Stream.map((chunk: unknown) => (chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))))
        )
        // An error before the first output is an error of the request; a later one reaches the client as a cut response.
        const [first, rest] = yield* Stream.peel(written, Sink.take<Uint8Array>(1))
        if (Chunk.isEmpty(first) && (yield* Effect.promise(() => child.ended)) !== 0) return yield* UNREADABLE
        return Stream.concat(Stream.concat(Stream.fromIterable(heading), Stream.fromChunk(first)), rest)
      })
    )

  const protocolOf = (header: string | undefined): string | undefined =>
    header !== undefined && PROTOCOL.test(header) ? header : undefined

  const serving: Serving = {
    advertise: (repository, header) => {
      const protocol = protocolOf(header)
      const isVersion2 = protocol?.split(":").includes("version=2") === true
      return output(repository, protocol, ["--advertise-refs"], new Uint8Array(), isVersion2 ? [] : [ADVERTISEMENT])
    },
    uploadPack: (repository, header, request) => output(repository, protocolOf(header), [], request)
  }

  const publicUrl = Effect.suspend(() => {
    const url = typeof config.publicUrl === "string" ? config.publicUrl : config.publicUrl()
    return url === undefined
      ? failed("The address at which clients reach this server is not configured. Set EARSHOT_PUBLIC_URL.")
      : Effect.succeed(url.replace(/\/+$/, ""))
  })

  const host: CodeHost = {
    kind: LOCAL,
    read: ({ secret, settings }) => {
      const errors = {
        ...(Object.keys(settings).length === 0
          ? noFieldErrors
          : fieldError("settings", "A local connection has no settings.")),
        ...(secret === null ? noFieldErrors : fieldError("secret", "A local connection has no secret."))
      }
      return Object.keys(errors).length === 0 ? Either.right({ settings: {}, secret: null }) : Either.left(errors)
    },
    test: ({ organizationId }) =>
      Effect.gen(function* () {
        yield* publicUrl
        if ((yield* run(["version"])).code !== 0) return yield* NO_GIT
        yield* Effect.tryPromise({
          try: () => realpath(join(directory, String(organizationId))),
          catch: () => failed(`The folder of repositories has no folder ${organizationId} for this organization.`)
        })
      }),
    issue: ({ organizationId }, name) =>
      Effect.gen(function* () {
        const path = yield* locate({ organizationId, name })
        const url = yield* publicUrl
        const bare = yield* run([`--git-dir=${path}`, "rev-parse", "--is-bare-repository"])
        if (bare.code !== 0 || bare.stdout !== "true") return yield* new RepositoryUnavailable()
        const head = yield* run([`--git-dir=${path}`, "symbolic-ref", "--short", "HEAD"])
        const source = yield* SecretSource
        const expiresAt = DateTime.add(yield* DateTime.now, { seconds: CHECKOUT_SECONDS })
        const checkout: HostCheckout = {
          repo: name,
          fullName: `${organizationId}/${name}`,
          cloneUrl: `${url}${REPOSITORIES_PATH}/${organizationId}/${name}.git`,
          defaultBranch: head.code === 0 && head.stdout !== "" ? head.stdout : null,
          username: "x-access-token",
          token: Redacted.make(printSecret("earcheckout_", source.bytes(SECRET_BYTES))),
          expiresAt,
          handle: null,
          lapsesAt: expiresAt
        }
        return checkout
      }),
    // The server asks the engine at every request, so there is nothing to be ended elsewhere.
    release: () => Effect.void
  }
  return { host, serving }
}
