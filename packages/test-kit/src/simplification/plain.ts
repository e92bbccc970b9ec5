export { anyText, phrase, type PlainRule, plainRules, prompt, spoiled } from "./PromptArbitraries.js"
export { checkLaws, type JudgeSimplified, simplifierLaws, type Simplify } from "./SimplifierLaws.js"
