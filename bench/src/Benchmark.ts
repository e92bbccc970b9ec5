import { startPostgres } from "@earshot/test-kit/postgres"

export type DatabaseName = "sqlite" | "postgres"

/** What a benchmark gets from whoever runs it. */
export interface Environment {
  readonly databases: ReadonlyArray<DatabaseName>
  /** A running PostgreSQL server; `durable` flushes every commit to disk. */
  readonly startPostgres: (options?: {
    readonly durable?: boolean
  }) => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>
  /** Arguments after the benchmark's name. */
  readonly args: ReadonlyArray<string>
  readonly print: (line: string) => void
  /** The command's file instead of the build's. */
  readonly program?: string
}

/** `full` is measured by `pnpm bench NAME`; `tiny` takes a few seconds and shows in the tests that the benchmark works. */
export type Scale = "full" | "tiny"

export interface Benchmark {
  readonly name: string
  /** Measures, prints, and fails if a side returns wrong results. */
  readonly run: (scale: Scale, environment: Environment) => Promise<void>
}

export const benchmark = <Size>(definition: {
  readonly name: string
  readonly full: Size
  readonly tiny: Size
  readonly run: (size: Size, environment: Environment) => Promise<void>
}): Benchmark => ({
  name: definition.name,
  run: (scale, environment) => definition.run(definition[scale], environment)
})

const isDatabase = (text: string | undefined): text is DatabaseName => text === "sqlite" || text === "postgres"

/** The environment of the command: `EARSHOT_BENCH_DATABASE` restricts the databases. */
export const commandEnvironment = (args: ReadonlyArray<string>): Environment => {
  const database = process.env.EARSHOT_BENCH_DATABASE
  return {
    databases: isDatabase(database) ? [database] : ["sqlite", "postgres"],
    startPostgres,
    args,
    print: (line) => {
      console.log(line)
    }
  }
}

/** A positive integer from the environment. */
export const numberFrom = (variable: string, defaultValue: number): number => {
  const value = Number(process.env[variable] ?? defaultValue)
  return Number.isInteger(value) && value > 0 ? value : defaultValue
}
