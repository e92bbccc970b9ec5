export { anyText, phrase, type PlainRule, plainRules, prompt, spoiled } from "./PromptArbitraries.js"
export {
  checkProperties,
  type ValidateSimplified,
  simplifierProperties,
  type Simplify
} from "./SimplifierProperties.js"
