export { type TextLimit, textLimitLaws, textLimits } from "./LimitLaws.js"
