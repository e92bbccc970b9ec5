export {
  load,
  type LoadedProject,
  type LoadedResult,
  type ProjectPlan,
  type ResultPlan,
  type RunEnd,
  world,
  type WorldPlan
} from "./Worlds.js"
