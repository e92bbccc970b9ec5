export { anyText, phrase, type PlainRule, plainRules, prompt, spoiled } from "./PromptArbitraries.js"
export { checkProperties, type JudgeSimplified, simplifierProperties, type Simplify } from "./SimplifierLaws.js"
