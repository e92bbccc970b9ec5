export {
  chatAgentContract,
  type ChatAgentWorld,
  runExecutorContract,
  type RunExecutorWorld
} from "./ExecutorContracts.js"
