export { load, type LoadedProject, type ProjectPlan, world, type WorldPlan } from "./Worlds.js"
