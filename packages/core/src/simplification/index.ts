export { validateSimplified } from "./CheckSimplified.js"
export { layer as promptSimplifier, PromptSimplifier } from "./PromptSimplifier.js"
export { lostTokens, protectedTokens } from "./ProtectedTokens.js"
export {
  encodeSimplification,
  encodeSimplificationProgress,
  type Simplification,
  SimplificationDraft,
  type SimplificationProgress,
  SimplificationProgressWire,
  SimplificationQuery,
  SimplificationStatus,
  SimplificationWire,
  skipped as skippedSimplification,
  type StoredSimplification
} from "./Simplification.js"
export { SimplificationRejected } from "./SimplificationErrors.js"
export { SIMPLIFICATION_JOB } from "./SimplificationJob.js"
export { Simplifications } from "./Simplifications.js"
export {
  type NewSimplification,
  type SimplifiedPrompt,
  type Simplifier,
  SimplificationStore
} from "./SimplificationStore.js"
export { isConcise, isSimple, simplifyPrompt } from "./SimplifyPrompt.js"
