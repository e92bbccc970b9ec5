import { typedCommand } from "../src/TypedCommand.js"
import { describe, expect, it } from "@effect/vitest"

const pnpm = "pnpm/10.34.9 npm/? node/v20.20.2 linux x64"

describe("the command to type next", () => {
  it.each([
    ["a shell", {}, "earshot"],
    [
      "npx",
      { npm_config_user_agent: "npm/11.1.0 node/v20.20.2", npm_command: "exec", npm_lifecycle_event: "npx" },
      "npx earshot"
    ],
    ["a script of npm", { npm_config_user_agent: "npm/11.1.0 node/v20.20.2", npm_command: "run-script" }, "earshot"],
    ["pnpm", { npm_config_user_agent: pnpm, npm_command: "run-script" }, "pnpm earshot"],
    [
      "pnpm by npx",
      { npm_config_user_agent: pnpm, npm_command: "exec", npm_lifecycle_event: "npx" },
      "npx -y pnpm@10.34.9 earshot"
    ],
    ["Yarn", { npm_config_user_agent: "yarn/4.5.0 npm/? node/v20" }, "yarn earshot"],
    ["Bun", { npm_config_user_agent: "bun/1.2.0 npm/? node/v20" }, "bunx earshot"]
  ])("starts as in %s", (_, environment, typed) => {
    expect(typedCommand(environment)).toBe(typed)
  })
})
