/** The environment variables by which package managers tell the programs that they run who runs them. */
export interface RunnerEnvironment {
  readonly npm_config_user_agent?: string | undefined
  readonly npm_command?: string | undefined
  readonly npm_lifecycle_event?: string | undefined
}

/**
 * The words that start this command again in the same shell, as far as the environment tells: `npx earshot`,
 * `pnpm earshot`, or `earshot`.
 */
export const typedCommand = (environment: RunnerEnvironment): string => {
  const [manager, version] = (environment.npm_config_user_agent ?? "").split(" ")[0]?.split("/") ?? []
  const byNpx = environment.npm_lifecycle_event === "npx"
  switch (manager) {
    case "npm":
      return byNpx || environment.npm_command === "exec" ? "npx earshot" : "earshot"
    case "pnpm":
      return byNpx && version !== undefined ? `npx -y pnpm@${version} earshot` : "pnpm earshot"
    case "yarn":
      return "yarn earshot"
    case "bun":
      return "bunx earshot"
    default:
      return "earshot"
  }
}
