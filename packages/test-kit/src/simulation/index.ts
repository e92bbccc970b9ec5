export {
  chatAgentContract,
  type ChatAgentFixture,
  runExecutorContract,
  type RunExecutorFixture
} from "./ExecutorContracts.js"
