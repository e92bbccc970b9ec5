/** How a server that is measured tells its starter where it is, and is told to end. */

export interface Announced {
  readonly url: string
  readonly agent: number
  readonly headers: Readonly<Record<string, string>>
}

/** One line on standard output, when the server listens. */
export const announce = (server: Announced): void => {
  process.stdout.write(`${JSON.stringify(server)}\n`)
}

/** Until standard input ends, which it does when the starter is gone, too. */
export const untilTold = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once("end", resolve).resume()
  })
