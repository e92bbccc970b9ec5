export { slugLaws, type TextLimit, textLimitLaws, textLimits } from "./LimitLaws.js"
