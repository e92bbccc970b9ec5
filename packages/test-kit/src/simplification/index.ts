export { anyText, phrase, type PlainRule, plainRules, prompt, spoiled } from "./PromptArbitraries.js"
export {
  checkFindsWhatIsLost,
  isIdempotent,
  isShorter,
  keepsTokens,
  passesTheCheck,
  type Simplify
} from "./SimplifierLaws.js"
